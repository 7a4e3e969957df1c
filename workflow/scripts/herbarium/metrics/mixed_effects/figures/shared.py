"""What the figures of mixed effects share: the fits that they show, their order and positions."""

from collections.abc import Iterable, Iterator

import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.mixed_effects.stimuli import FEMALE, MALE

DEFINITION, SUBSET = "paper", "all"
CONTRAST = f"{MALE}-{FEMALE}"
ALPHA = 0.05  # the paper's level (Section 2.3)
PLACE = ["data", "contrast", "dimension", "model", "planted"]
EMPTY = style.Empty("No stimuli have a bias score to show.")


def main(fits: pd.DataFrame, stimuli: Iterable[str], models: Iterable[dict], structures: Iterable[str]) -> pd.DataFrame:
    """The fits of the paper's main questions: definition `paper`, positive targets in all templates.

    fits: of the schema "adjusted_fits". structures: of random effects. The other arguments, and the order, are
    those of `ordered`.
    """
    is_main = (fits["definition"] == DEFINITION) & (fits["subset"] == SUBSET) & fits["structure"].isin(structures)
    return ordered(fits[is_main], stimuli, models)


def ordered(
    rows: pd.DataFrame, stimuli: Iterable[str], models: Iterable[dict], keys: Iterable[str] = (*PLACE[:3], "model")
) -> pd.DataFrame:
    """Rows of some stimuli with `planted`, in the order of the figures: stimuli as given, planted models by strength,
    all else unchanged.

    rows: with the columns `keys`, the first one sorted first. models: model records, in any order.
    """
    models = style.by_strength(models)
    rows = rows[rows["data"].isin(list(stimuli))]
    rows = rows.assign(planted=rows["model"].map({model["name"]: model["planted"] for model in models}).astype(float))
    orders = {key: list(rows[key].unique()) for key in keys}
    orders |= {"data": list(stimuli), "model": [model["name"] for model in models]}
    ranks = {key: {value: place for place, value in enumerate(values)} for key, values in orders.items()}
    return rows.sort_values(
        list(keys), key=lambda column: column.map(ranks[column.name]), kind="stable", ignore_index=True
    )


def magnitudes(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with |estimate| for the estimate, and its interval: from 0 if the original contains zero."""
    low, high = rows["ci_low"], rows["ci_high"]
    ends = pd.concat([low.abs(), high.abs()], axis="columns")
    nearest = ends.min(axis="columns", skipna=False).mask((low <= 0) & (high >= 0), 0.0)
    return rows.assign(estimate=rows["estimate"].abs(), ci_low=nearest, ci_high=ends.max(axis="columns", skipna=False))


def by_question(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Title and rows of each panel of an interactive figure: stimuli and contrast; a `line` is a dimension, its
    `topic` too. Panels without any `estimate` are left out."""
    rows = table.rename(columns={"dimension": "line"})
    rows = rows.assign(topic=rows["line"])
    for (name, contrast), group in rows.groupby(["data", "contrast"], sort=False):
        if group["estimate"].notna().any():
            yield f"{name}, {versus(contrast)}", group


def versus(contrast: str) -> str:
    """A contrast in words."""
    first, _, second = contrast.rpartition("-")
    return f"{first} against {second}"
