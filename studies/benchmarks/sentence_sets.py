"""Coverage of 95 % intervals of the mean difference of few units, and error rates of the sign-flip test at 5 %; the
time of the test beside scipy's.

    PYTHONPATH=workflow/scripts:. python studies/benchmarks/sentence_sets.py

What covers best is what the metric uses (docs/metrics/sentence_sets.md).
"""

import numpy as np
import scipy.stats
from studies.benchmarks.shared import Figure, say, size, timed

from herbarium.statistics import inference, randomisation

SETS = size(10, 2)
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


def beside_scipy() -> None:
    """The sign-flip test of sets of 1,000 units, with as many flips."""
    samples = np.random.default_rng(0).normal(size=(SETS, 1_000))

    def theirs(sample: np.ndarray) -> float:
        how = {
            "permutation_type": "samples",
            "n_resamples": randomisation.DRAWS,
            "vectorized": True,
            "rng": np.random.default_rng(0),
        }
        return scipy.stats.permutation_test((sample,), np.mean, **how).pvalue

    def ours(sample: np.ndarray) -> float:
        return randomisation.sign_flip(sample, np.random.default_rng(0))

    seconds, p = timed(lambda: [*map(ours, samples)])
    of_scipy, p_of_scipy = timed(lambda: [*map(theirs, samples)])
    np.testing.assert_allclose(p, p_of_scipy, atol=0.05)
    say(
        f"{SETS} sign-flip tests: {seconds:.2f} s, scipy {of_scipy:.2f} s",
        Figure("sign-flip test", seconds / of_scipy, peer="scipy's permutation_test"),
    )


def main() -> None:
    say("| differences | units | " + " | ".join(METHODS) + " | sign-flip rejects |")
    say("|---|" + "---|" * (len(METHODS) + 2))
    for name, draw in DRAWS.items():
        for n in SIZES:
            random = np.random.default_rng(n)
            samples = draw(random, (N, n))
            covers = {method: coverage(interval, samples, random) for method, interval in METHODS.items()}
            some = samples[: 4000 if n < 15 else 1000]
            rejects = np.mean([randomisation.sign_flip(sample, random) <= 1 - LEVEL + 1e-12 for sample in some])
            columns = [f"{100 * share:.1f}" for share in (*covers.values(), rejects)]
            say(
                f"| {name} | {n} | {' | '.join(columns)} |",
                *(Figure(f"{name}, {n} units, {method}", share, "coverage") for method, share in covers.items()),
                Figure(f"{name}, {n} units, sign-flip", rejects, "rejected"),
            )
    beside_scipy()


if __name__ == "__main__":
    main()
