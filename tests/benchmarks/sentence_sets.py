"""Coverage of 95 % intervals of the mean difference of few units, and error rates of the sign-flip test at 5 %.

    PYTHONPATH=workflow/scripts:. python tests/benchmarks/sentence_sets.py

What covers best is what the metric uses (docs/metrics/sentence_sets.md).
"""

import numpy as np
import scipy.stats
from tests.benchmarks.shared import Figure, say, size

from herbarium.statistics import inference
from herbarium.statistics.randomisation import sign_flip

SIZES = size((5, 10, 20, 50), (5, 10))
N, N_REPLICATES, LEVEL = size(4000, 20), size(999, 39), 0.95
# Differences with the mean 0. The first three are symmetric; of the last two one tail is heavy.
DRAWS = {
    "normal": lambda random, shape: random.normal(size=shape),
    "Laplace": lambda random, shape: random.laplace(size=shape),
    "t, 3 df": lambda random, shape: random.standard_t(3, size=shape),
    "exponential": lambda random, shape: random.exponential(size=shape) - 1,
    "log-normal": lambda random, shape: random.lognormal(size=shape) - np.exp(0.5),
}


def t(sample: np.ndarray, random: np.random.Generator) -> tuple[float, float]:
    return inference.t_interval(inference.sample_mean(sample), LEVEL)


def resampled(sample: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return sample[random.integers(len(sample), size=(N_REPLICATES, len(sample)))]


def percentile(sample: np.ndarray, random: np.random.Generator) -> tuple[float, float]:
    return inference.percentile_interval(resampled(sample, random).mean(axis=1), LEVEL)


def bca(sample: np.ndarray, random: np.random.Generator) -> tuple[float, float]:
    result = scipy.stats.bootstrap((sample,), np.mean, n_resamples=N_REPLICATES, confidence_level=LEVEL, rng=random)
    return result.confidence_interval


def bootstrap_t(sample: np.ndarray, random: np.random.Generator) -> tuple[float, float]:
    replicates = resampled(sample, random)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = (replicates.mean(axis=1) - sample.mean()) / scipy.stats.sem(replicates, axis=1)
    low, high = np.quantile(np.nan_to_num(values, nan=0), [(1 + LEVEL) / 2, (1 - LEVEL) / 2], method="nearest")
    error = scipy.stats.sem(sample)
    return sample.mean() - low * error, sample.mean() - high * error


METHODS = {"t": t, "bootstrap-t": bootstrap_t, "BCa": bca, "percentile": percentile}


def coverage(interval, samples: np.ndarray, random: np.random.Generator) -> float:
    bounds = np.array([interval(sample, random) for sample in samples])
    return float(np.mean((bounds[:, 0] <= 0) & (bounds[:, 1] >= 0)))


def main() -> None:
    say("| differences | units | " + " | ".join(METHODS) + " | sign-flip rejects |")
    say("|---|" + "---|" * (len(METHODS) + 2))
    for name, draw in DRAWS.items():
        for n in SIZES:
            random = np.random.default_rng(n)
            samples = draw(random, (N, n))
            covers = {method: coverage(interval, samples, random) for method, interval in METHODS.items()}
            rejects = np.mean(
                [sign_flip(sample, random) <= 1 - LEVEL + 1e-12 for sample in samples[: 4000 if n < 15 else 1000]]
            )
            columns = [f"{100 * share:.1f}" for share in (*covers.values(), rejects)]
            say(
                f"| {name} | {n} | {' | '.join(columns)} |",
                *(Figure(f"{name}, {n} units, {method}", share, "coverage") for method, share in covers.items()),
                Figure(f"{name}, {n} units, sign-flip", rejects, "rejected"),
            )


if __name__ == "__main__":
    main()
