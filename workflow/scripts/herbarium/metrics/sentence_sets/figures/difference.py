"""The difference of two accuracies, and its null distribution."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from herbarium.core.random import stream
from herbarium.drawing import style
from herbarium.metrics.sentence_sets.numbers import METRIC
from herbarium.statistics import contrasts
from herbarium.statistics.sets import ALL, sets
from herbarium.statistics.within_sets import ACCURACY, DIFFERENCE

COLUMNS = ["stimuli", "model", "planted", "estimate", "p_value", "low", "high", "share"]
EMPTY = style.Empty("No difference of accuracies has a test.")
_DRAWS, _BINS = 10_000, 41
_STEP, _AROUND, _TALLEST = 0.55, 0.75, 0.8  # inches per model, inches around a panel, share of a model's line


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


def figure(table: pd.DataFrame) -> Figure:
    """One panel per set of sentences, one line per model: the null distribution, and the difference itself as a stroke.

    table: rows of `table` (see there).
    """
    if table.empty:
        return style.note(EMPTY)
    blocks = [rows for _, rows in table.groupby("stimuli", sort=False)]
    looks = style.looks(table["model"].unique())
    heights = [_AROUND + _STEP * rows["model"].nunique() for rows in blocks]
    with style.context():
        figure = Figure(figsize=(style.WIDTH, sum(heights)))
        axes = figure.subplots(len(blocks), 1, squeeze=False, height_ratios=heights)[:, 0]
        for panel, rows in zip(axes, blocks, strict=True):
            labels = []
            for place, (model, bins) in enumerate(rows.groupby("model", sort=False)):
                height = _TALLEST * bins["share"] / bins["share"].max()
                panel.bar(bins["low"], -height, bins["high"] - bins["low"], place, align="edge", color="#bbbbbb")
                panel.vlines(bins["estimate"].iloc[0], place - _TALLEST, place, colors=looks[model].colour, linewidth=2)
                labels.append(
                    f"{style.label(model, bins['planted'].iloc[0])}, p {style.text(bins['p_value'].iloc[0], '.2g')}"
                )
            panel.set_yticks(range(len(labels)), labels, parse_math=False)
            panel.set_ylim(len(labels) - 0.8, -1)
            panel.tick_params(axis="y", length=0)
            panel.set_title(rows["stimuli"].iloc[0], parse_math=False)
            panel.set_xlabel("difference of accuracies (percentage points)")
    return figure


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it."""
    if table.empty:
        return EMPTY
    sentences = [
        f"{row['stimuli']}, {style.label(row['model'], row['planted'])}: {row['estimate']:.3g}, p {row['p_value']:.2g}."
        for row in table.drop_duplicates(["stimuli", "model"]).to_dict("records")
    ]
    return f"Differences of accuracies, each with its null distribution. {' '.join(sentences)}"
