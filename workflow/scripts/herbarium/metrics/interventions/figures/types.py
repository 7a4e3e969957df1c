"""How strongly a subject is preferred after each type of intervention, and how much of the preference is kept."""

import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.interventions.numbers import DIFFERENCE, KEPT, OWN, UNCHANGED
from herbarium.metrics.interventions.stimuli import NONE, TYPES

COLUMNS = ["unit", "variant", "group", "model", "planted", "estimate", "ci_low", "ci_high", "p_adjusted", "n", "note"]
EMPTY = style.Empty("No preference between two subjects was measured.")
AXES = {"mu": "μ: strongest preference of a subject, normalised", KEPT: "preference kept (1: unchanged, 0: none left)"}


def table(numbers: pd.DataFrame, models: list[dict]) -> pd.DataFrame:
    """Rows of COLUMNS: μ, normalised, and the share kept, by questions, type and model; `p_adjusted` is that of the
    difference between the share kept and the control.

    numbers: tidy rows. models: model records, by strength.
    """
    rows = numbers[(numbers["definition"] == OWN) & numbers["variant"].isin(AXES)]
    of_control = numbers.assign(variant=numbers["variant"].replace(DIFFERENCE, KEPT))
    of_control = of_control[numbers["variant"] == DIFFERENCE]
    keys = ["unit", "variant", "group", "model"]
    rows = rows.drop(columns="p_adjusted").merge(of_control[[*keys, "p_adjusted"]], "left", on=keys)
    orders = {"variant": list(AXES), "group": [NONE, *TYPES], "model": [model["name"] for model in models]}
    rank = {
        column: rows[column].map({value: place for place, value in enumerate(order)})
        for column, order in orders.items()
    }
    rows = rows.assign(planted=rows["model"].map({model["name"]: model["planted"] for model in models}).astype(float))
    ordered = rows.assign(**{f"{column}_rank": ranks for column, ranks in rank.items()})
    return ordered.sort_values(["unit", *(f"{column}_rank" for column in orders)], kind="stable")[COLUMNS]


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the share of each model's preference that is kept."""
    if table["estimate"].isna().all():
        return EMPTY
    shares_kept = table[(table["variant"] == KEPT) & table["estimate"].notna()]
    sentences = [
        f"{row['unit']}, {row['group']}, {style.label(row['model'], row['planted'])}: "
        f"{style.with_interval(row['estimate'], row['ci_low'], row['ci_high'], '.2f')}."
        for row in shares_kept.to_dict("records")
    ]
    return f"Preferences by type of intervention, and the share of them that is kept. {' '.join(sentences)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """One panel per set of questions and kind of number. table: rows of `table`."""
    table = table.assign(line=table["group"], series=interactive.labels(table))
    looks, plots = interactive.looks_of(table), []
    for (name, variant), rows in table.groupby(["unit", "variant"], sort=False):
        if rows["estimate"].notna().any():
            nulls = [UNCHANGED] if variant == KEPT else []
            plots.append(interactive.forest(name, rows, AXES[variant], looks, nulls))
    return plots
