"""Numbers for sources of vectors, layer by layer: one panel per number, one line per source."""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style

_DODGE = 0.12  # of a layer, between two sources
_TICKS = 7  # layers with a number, about
COLUMNS = ["unit", "variant", "group", "model", "estimate", "ci_low", "ci_high", "p_adjusted", "n"]


class Panel(NamedTuple):
    """A number: its definition in the tidy rows; the title of its axis; its value if there is nothing to find, None if
    that differs from set to set; and whether it ranges from 0 to 1."""

    definition: str
    title: str
    null: float | None = 0.0
    is_share: bool = False


def table(numbers: pd.DataFrame, panels: Mapping[str, Panel]) -> pd.DataFrame:
    """Rows of COLUMNS: the numbers of the panels by set, source of vectors and layer. numbers: tidy rows. panels: by
    variant."""
    wanted = numbers["variant"].map({variant: layer.definition for variant, layer in panels.items()})
    rows = numbers[numbers["definition"] == wanted]
    order = rows["variant"].map(list(panels).index)
    return rows.assign(order=order).sort_values(["unit", "order"], kind="stable")[COLUMNS].reset_index(drop=True)


def describe(table: pd.DataFrame, panels: Mapping[str, Panel], empty: str, title: str) -> str:
    """The figure in words, for those who cannot see it: the last layer of each source."""
    if table["estimate"].isna().all():
        return empty
    last = table.groupby(["unit", "model", "variant"], sort=False).last().reset_index().dropna(subset="estimate")
    sentences = [
        f"{row['unit']}, {row['model']}, layer {row['group']}: {panels[row['variant']].title} "
        f"{style.with_interval(row['estimate'], row['ci_low'], row['ci_high'], '.2f')}."
        for row in last.to_dict("records")
    ]
    return f"{title} by layer. {' '.join(sentences)}"


def panels(table: pd.DataFrame, numbers: Mapping[str, Panel]) -> list[dict]:
    """One panel per set and number, one line per source over its layers. table: rows of `table`."""
    looks, plots = style.looks(table["model"]), []
    for (name, variant), rows in table.groupby(["unit", "variant"], sort=False):
        if rows["estimate"].notna().any():
            of_source = rows.groupby("model", sort=False)
            layer, source = of_source.cumcount(), of_source.ngroup()
            ticks = dict(zip(layer.astype(float), rows["group"], strict=True))
            ticks = dict(list(ticks.items())[:: -(-len(ticks) // _TICKS)])
            moved = layer + _DODGE * (source - source.max() / 2)
            rows = rows.assign(line="layer " + rows["group"], series=rows["model"], x=moved)
            shown = numbers[variant]
            ends = (0, 1) if shown.is_share else None
            axes = ("layer", shown.title)
            plots.append(interactive.lines(f"{name}: {shown.title}", rows, axes, looks, shown.null, ends, ticks))
    return plots
