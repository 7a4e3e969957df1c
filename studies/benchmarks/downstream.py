"""Numbers of perturbed predictions at the size of IMDB: 25,000 texts, 260 prefixes, 3 seeds (`make bench`).

The sums of 1,000 bootstrap replicates over texts, of which all intervals are made, against the measures of one
replicate from its texts resampled, times 1,000; both must give that replicate the same numbers. All tidy rows.
"""

import resource

import numpy as np
import pandas as pd
from studies.benchmarks.shared import Figure, say, size, timed

from herbarium.metrics.downstream import numbers as downstream_table
from herbarium.metrics.downstream import score

TEXTS, REPLICATES, COUNTRIES = size(25_000, 300), size(1_000, 20), size(247, 12)
SEEDS, NONSENSE, CONTROLS = 3, 8, 4


def study() -> tuple[np.ndarray, np.ndarray, pd.DataFrame]:
    """Probabilities, labels and prefixes; a prefix moves every text a little."""
    random = np.random.default_rng(0)
    rows = [("original", "original", "original", None)]
    rows += [("region", "country", f"country:{i}", f"continent:{i % 6}") for i in range(COUNTRIES)]
    rows += [("control", "control", f"control:{i}", None) for i in range(CONTROLS)]
    rows += [("nonsense", "nonsense", f"nonsense:{i}", None) for i in range(NONSENSE)]
    prefixes = pd.DataFrame(rows, columns=["kind", "unit", "group", "continent"])
    log_odds = random.normal(0, 4, (SEEDS, 1, TEXTS)) + random.normal(0, 0.2, (SEEDS, len(prefixes), TEXTS))
    return 1 / (1 + np.exp(-log_odds)), random.integers(2, size=TEXTS), prefixes


def resampled(p: np.ndarray, label: np.ndarray, drawn: np.ndarray) -> dict[str, np.ndarray]:
    """What is usually done: the texts of one replicate are copied, and measured as the original ones would be."""
    texts = np.repeat(np.arange(len(label)), drawn)
    p, label = p[..., texts], label[texts]
    change, predicted = p - p[:, :1], p > 0.5
    before = predicted[:, :1]
    up, down = change > 0, change < 0
    return {
        "accuracy": (predicted == label).mean(axis=-1),
        "to_positive": (predicted & ~before).mean(axis=-1),
        "to_negative": (~predicted & before).mean(axis=-1),
        "quantity_up": up.sum(axis=-1),
        "quantity_down": down.sum(axis=-1),
        "size_up": np.where(up, change, 0).sum(axis=-1)[:, 1:] / up.sum(axis=-1)[:, 1:],
        "size_down": -np.where(down, change, 0).sum(axis=-1)[:, 1:] / down.sum(axis=-1)[:, 1:],
        "change": change.mean(axis=-1),
    }


def main() -> None:
    p, label, prefixes = study()

    def drawn() -> tuple[np.ndarray, dict]:
        weights = score.draws(len(label), REPLICATES, np.random.default_rng(1))
        return weights, score.totals(p, label, weights)

    together, (weights, sums) = timed(drawn)
    naive, one = timed(lambda: resampled(p, label, weights[0]))
    naive *= REPLICATES
    ours = score.rates(sums) | score.changes(sums) | score.shifts(sums, sums)
    for variant, values in one.items():
        np.testing.assert_allclose(ours[variant][0][:, -values.shape[1] :], values, rtol=1e-9, atol=1e-12)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    say(
        f"{REPLICATES:,} replicates of {len(label):,} texts: {together:.1f} s; resampled {naive:.0f} s, "
        f"{naive / together:.0f} times as long; {p.nbytes / 2**30:.2f} GB of probabilities, peak {peak:.2f} GB",
        Figure("bootstrap over texts", together, "s"),
        Figure("bootstrap over texts", together / naive, peer="texts resampled"),
    )

    bootstrap, tests = {"replicates": REPLICATES, "level": 0.95}, {"correction": "fdr_bh"}
    cut = np.zeros(len(prefixes), int)
    seconds, numbers = timed(
        lambda: downstream_table.measure("bench", "reviews", p, label, prefixes, cut, bootstrap, tests, 0)
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    say(
        f"{len(numbers):,} numbers with intervals: {seconds:.0f} s, peak {peak:.2f} GB",
        Figure("numbers with intervals", seconds, "s"),
        Figure("numbers with intervals", peak, "GB"),
    )


if __name__ == "__main__":
    main()
