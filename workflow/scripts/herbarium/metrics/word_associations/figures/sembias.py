"""Which pairs of an instance are most like the gender direction, compared with random directions."""

import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.word_associations.numbers import CHANCE, PAPER, SEMBIAS
from herbarium.metrics.word_associations.sembias import DEFINITION, NONE, OUTCOMES, STEREOTYPE, TIED

COLUMNS = [
    *("unit", "model", "planted", "layer", "group", "estimate", "ci_low", "ci_high", "at_random", "low", "high"),
    *("p_adjusted", "n", "note"),
]
EMPTY = style.Empty("No SemBias list was measured.")
AXIS = "share of instances"
_KEYS = ["unit", "model", "layer"]


def table(numbers: pd.DataFrame, strengths: dict[str, float]) -> pd.DataFrame:
    """Rows of COLUMNS: the share of each outcome, of all instances; with `definition`, its mean along random
    directions, and the range (`low`, `high`) of most of these.

    numbers: tidy rows. strengths: of planted sources, by name.
    """
    rows = numbers[(numbers["metric"] == SEMBIAS) & numbers["group"].isin(OUTCOMES)]
    rows = rows.rename(columns={"variant": "layer"})
    chance = rows[rows["definition"] == CHANCE].rename(
        columns={"estimate": "at_random", "ci_low": "low", "ci_high": "high"}
    )
    outcomes = rows[rows["definition"] == PAPER].merge(
        chance[[*_KEYS, "group", "at_random", "low", "high"]], "left", on=[*_KEYS, "group"]
    )
    planted = outcomes["model"].map(strengths).astype(float)
    order = {name: place for place, name in enumerate(dict.fromkeys(outcomes["unit"]))}
    outcomes = outcomes.assign(planted=planted, place=outcomes["unit"].map(order)).sort_values("place", kind="stable")
    return outcomes.reindex(columns=COLUMNS).reset_index(drop=True)


def _lines(rows: pd.DataFrame) -> pd.Series:
    """The label of a bar: the source, and its layer if it has several."""
    several = rows.groupby("model")["layer"].transform("nunique") > 1
    label = interactive.labels(rows)
    return label.where(~several, label + ", layer " + rows["layer"].astype(str))


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it."""
    if table["estimate"].isna().all():
        return EMPTY
    rows = table[(table["group"] == DEFINITION) & table["estimate"].notna()]
    sentences = [
        f"{row['unit']}, {line}: {style.with_interval(row['estimate'], row['ci_low'], row['ci_high'])}, "
        f"{style.text(row['at_random'], '.2f')} at random."
        for row, line in zip(rows.to_dict("records"), _lines(rows), strict=True)
    ]
    return f"Share of instances in which the definition pair is most like the gender direction. {' '.join(sentences)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """One panel per list and direction, one line per source and layer. table: rows of `table`."""
    table = table.assign(line=_lines(table), series=table["group"]) if len(table) else table
    looks, plots = style.looks((DEFINITION, STEREOTYPE, NONE, TIED)), []
    for unit, rows in table.groupby("unit", sort=False):
        if rows["estimate"].notna().any():
            panel = interactive.forest(unit, rows, AXIS, looks, bounds=(0, 1))
            band = rows.loc[rows["group"] == DEFINITION, ["low", "high"]]
            plots.append(
                interactive.shaded(panel, "x", band["low"].min(), band["high"].max(), "along random directions")
            )
    return plots
