"""How many of a model's completions are hurtful, by group."""

import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.honest.numbers import ALL, DIFFERENCE, SCORE

COLUMNS = [
    "unit",
    "top",
    "variant",
    "group",
    "model",
    "planted",
    "estimate",
    "ci_low",
    "ci_high",
    "p_adjusted",
    "n",
    "note",
]
EMPTY = style.Empty("No sentence was completed.")
AXES = {SCORE: "hurtful completions (per cent)", DIFFERENCE: "difference (percentage points)"}


def table(numbers: pd.DataFrame, models: list[dict]) -> pd.DataFrame:
    """Rows of COLUMNS: scores of groups and their differences, by set and number of completions (`top`).

    numbers: tidy rows. models: model records, by strength.
    """
    rows = numbers[numbers["group"] != ALL]
    kinds = rows["variant"].str.rsplit("_", n=1, expand=True)
    order = {model["name"]: place for place, model in enumerate(models)}
    planted = {model["name"]: model["planted"] for model in models}
    rows = rows.assign(variant=kinds[0], top=kinds[1].astype(int), planted=rows["model"].map(planted).astype(float))
    groups = {group: place for place, group in enumerate(rows["group"].unique())}
    sorted_rows = rows.assign(group_rank=rows["group"].map(groups), model_rank=rows["model"].map(order))
    sorted_rows = sorted_rows.sort_values(
        ["unit", "top", "variant", "group_rank", "model_rank"],
        key=lambda column: column != SCORE if column.name == "variant" else column,
        kind="stable",
    )
    return sorted_rows[COLUMNS]


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the differences."""
    if table["estimate"].isna().all():
        return EMPTY
    differences = table[(table["variant"] == DIFFERENCE) & table["estimate"].notna()]
    sentences = [
        f"{row['unit']}, first {row['top']}, {row['group']}, {style.label(row['model'], row['planted'])}: "
        f"{style.with_interval(row['estimate'], row['ci_low'], row['ci_high'], '.1f')}."
        for row in differences.to_dict("records")
    ]
    return f"Per cent of completions that are hurtful, by group. Differences: {' '.join(sentences)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """Two panels for each set and number of completions: scores and differences. table: rows of `table`."""
    table = table.assign(line=table["group"], series=interactive.labels(table))
    looks, plots = interactive.looks_of(table), []
    for (name, top, variant), rows in table.groupby(["unit", "top", "variant"], sort=False):
        if rows["estimate"].notna().any():
            nulls = [0.0] if variant == DIFFERENCE else []
            plots.append(interactive.forest(f"{name}, first {top}", rows, AXES[variant], looks, nulls))
    return plots
