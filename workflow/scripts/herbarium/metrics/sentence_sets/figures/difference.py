"""The difference of two accuracies, and its null distribution."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from herbarium.core.random import stream
from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.drawing.panels import area
from herbarium.metrics.sentence_sets.numbers import METRIC
from herbarium.statistics import contrasts
from herbarium.statistics.sets import ALL, sets
from herbarium.statistics.within_sets import ACCURACY, DIFFERENCE

COLUMNS = ["stimuli", "model", "planted", "estimate", "p_value", "low", "high", "share"]
EMPTY = style.Empty("No difference of accuracies has a test.")
_DRAWS, _BINS = 10_000, 41
_PITCH, _TALLEST, _BASE = 55, 0.8, 0.4  # pixels per line, share of it that the tallest bin has, where it stands
_AXIS, NULL = "difference of accuracies (percentage points)", "null distribution"


def table(
    numbers: pd.DataFrame,
    observations: Mapping[tuple[str, str], pd.DataFrame],
    entries: Mapping[str, Mapping],
    seed: int,
) -> pd.DataFrame:
    """Rows of COLUMNS: for each difference of accuracies of all sets, and each bin of its null distribution, in
    percentage points.

    numbers: of `numbers.with_contrasts`. observations: (model, name of the sets) -> of the schema
    "sentence_sets_observations". entries: `sentence_sets` of the configuration. seed: of the draws.
    """
    rows = numbers[(numbers["contrast"] == ACCURACY.name) & (numbers["side"] == DIFFERENCE) & (numbers["group"] == ALL)]
    tables = []
    for row in rows.to_dict("records"):
        compared = sets(observations[row["model"], row["stimuli"]], entries[row["stimuli"]]["sides"])
        random = stream(seed, METRIC, row["stimuli"], "difference at random")
        compared = ACCURACY.comparable(compared)
        drawn = contrasts.difference_at_random(compared, _DRAWS, random) if len(compared.values) > 1 else np.empty(0)
        if np.isnan(row["p_value"]) or not len(drawn):
            continue
        # t extends beyond possible per cents; the rest is in the outermost bins
        farthest = min(max(np.quantile(np.abs(drawn), 0.999), abs(row["estimate"]), 1.0), 100.0)
        counts, edges = np.histogram(np.clip(drawn, -farthest, farthest), bins=_BINS, range=(-farthest, farthest))
        bins = pd.DataFrame({"low": edges[:-1], "high": edges[1:], "share": counts / counts.sum()})
        tables.append(bins.assign(**{column: row[column] for column in COLUMNS[:5]}))
    return pd.concat(tables, ignore_index=True)[COLUMNS] if tables else pd.DataFrame(columns=COLUMNS)


def panels(table: pd.DataFrame) -> list[dict]:
    """One panel per set of sentences, one line per model: the difference over its null distribution.

    table: rows of `table` (see there).
    """
    looks, plots = interactive.looks_of(table), []
    for name, bins in table.groupby("stimuli", sort=False):
        rows = bins.drop_duplicates("model").drop(columns=["low", "high"])
        labels = interactive.labels(rows)
        lines = labels + ", p " + rows["p_value"].map(lambda p: style.text(p, ".2g"))
        end = float(bins["high"].max())
        panel = interactive.forest(name, rows.assign(line=lines, series=labels), _AXIS, looks, [0], (-end, end))
        panel["layout"]["height"] = 75 + _PITCH * len(rows)
        heaps = [_heap(group, place) for place, (_, group) in enumerate(bins.groupby("model", sort=False))]
        plots.append(panel | {"data": heaps + panel["data"]})
    return plots


def _heap(bins: pd.DataFrame, place: int) -> dict:
    """A trace: the null distribution of a model above its line. bins: of the model. place: of the line."""
    x = pd.Series(np.ravel(bins[["low", "high"]]))
    height = pd.Series(np.repeat(bins["share"].to_numpy(), 2) / bins["share"].max())
    base = pd.Series(place + _BASE, x.index)
    return area(x, base - _TALLEST * height, base, NULL) | {"models": bins["model"].iloc[0]}


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it."""
    if table.empty:
        return EMPTY
    sentences = [
        f"{row['stimuli']}, {style.label(row['model'], row['planted'])}: {row['estimate']:.3g}, p {row['p_value']:.2g}."
        for row in table.drop_duplicates(["stimuli", "model"]).to_dict("records")
    ]
    return f"Differences of accuracies, each with its null distribution. {' '.join(sentences)}"
