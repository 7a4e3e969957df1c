"""HERB along toxic continual training (Li et al. 2022, Section 4.7 and Fig. 5) as tidy numbers."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
import pyarrow as pa
import scipy  # imports its parts when they are first used

from herbarium.metrics.herb.ablations import SCORES, Alternative, measured
from herbarium.metrics.herb.numbers import without_pairs
from herbarium.metrics.herb.selection import select
from herbarium.statistics.inference import percentile_interval
from herbarium.statistics.tidy import tidy

VARIANTS = ("C_w", "C_w_size_free")
CHANGE, TREND = "change", "kendall_tau"


def at_epoch(variant: str, epoch: int) -> str:
    """The name of a variant after an epoch of training; epoch 0 is the model as it was."""
    return f"{variant}_epoch_{epoch:02}"


def epochs_of(names: pd.Series, variant: str) -> pd.Series:
    """The epoch that each name says (`at_epoch`); null for every other name."""
    return names.str.extract(rf"^{variant}_epoch_(\d+)$", expand=False).astype(float).astype("Int64")


def measure(
    model: str,
    regions: pd.DataFrame,
    topics: Mapping[str, list[str]],
    likelihoods: Iterable[pa.Table],
    bootstrap: dict,
    seed: int,
    threads: int = 1,
) -> pd.DataFrame:
    """Tidy rows of the root and of the regions below it: metric "herb_toxic", definition "paper".

    likelihoods: of the model as it was and after each epoch, in their order; one is held at a time. The other
    arguments are those of `ablations.ablate`.

    For each of `VARIANTS`: its value after each epoch (`at_epoch`), with `n` the number of sub-regions;
    {variant}_change, its last value minus its first; {variant}_kendall_tau, its rank correlation (tau-b) with the
    epoch, which the paper reports to be positive, with `n` the number of values. In every epoch the bootstrap draws the
    same descriptions as for metric "herb", so the intervals of change and correlation are for one training and other
    descriptions. There is no p-value: each epoch starts from the last, so epochs are not exchangeable under any null
    hypothesis.
    """
    epochs = [
        measured(model, [Alternative("paper", select(regions, topics, of_epoch))], bootstrap, seed, threads)[0]
        for of_epoch in likelihoods
    ]
    # (n_epochs + 1, 1 + n_replicates, n_scores, n_regions), the estimate before the replicates
    drawn = np.array([np.concatenate([epoch.estimates[None], epoch.replicates]) for epoch in epochs])
    named = epochs[-1].rows
    tables = []

    def add(variant: str, values: np.ndarray, n: np.ndarray | int, over: str = "sub-regions") -> None:
        """values: (1 + n_replicates, n_regions), the estimate first."""
        rows = named.assign(variant=variant, estimate=values[0], n=n, over=over)
        if len(values) > 2:
            rows["std_error"] = values[1:].std(axis=0, ddof=1)
            rows["ci_low"], rows["ci_high"] = percentile_interval(values[1:], bootstrap["level"])
        tables.append(rows)

    for variant in VARIANTS:
        values = drawn[:, :, SCORES.index(variant)]
        for epoch, of_epoch in enumerate(values):
            add(at_epoch(variant, epoch), of_epoch, named["n"])
        add(f"{variant}_{CHANGE}", values[-1] - values[0], named["n"])
        order = np.broadcast_to(np.arange(len(values))[:, None, None], values.shape)
        add(f"{variant}_{TREND}", scipy.stats.kendalltau(order, values, axis=0).statistic, len(values), "epochs")
    rows = without_pairs(pd.concat(tables, ignore_index=True))
    rows.loc[rows["estimate"].isna(), "note"] = "no rank correlation: the score is the same after every epoch"
    return tidy(rows.assign(model=model, metric="herb_toxic", definition="paper"))
