"""Tables 3.10 to 3.16 of Zhao (2021) compared with our numbers.

Tasks, sources of vectors and models are matched by name: English is a task called `bios`, another language one called
`bios-es`, `bios-de` or `bios-fr`; a task `bios` with a column of languages has all of them, and from one to another.
Vectors of another space, or of two languages, are called as in the column `source` of the figures. None is held to be
of the same biographies, which were not released.
"""

from collections.abc import Mapping

import pandas as pd

from herbarium.metrics.biographies.numbers import (
    ACCURACY,
    BALANCED,
    DEFINITIONS,
    DIFF,
    FINETUNED,
    LEADING,
    MEN,
    METRIC,
    WOMEN,
)
from herbarium.metrics.biographies.stimuli import SCRUBBED
from herbarium.statistics import agreement

_SIZES = "Table 3.10"
_COUNTS = {"#occupation": "n_occupations", "#instance": "n"}
_MEASURES = {"Avg.": ACCURACY, "Female": WOMEN, "Male": MEN, "|Diff|": DIFF}
_ON_BALANCED = ("Table 3.13", "Table 3.14")
_BOUNDS = {"paper": "estimate", "paper_low": "ci_low", "paper_high": "ci_high"}
_TEXTS = "the biographies that the figure is of are not recorded"
_PROBE = "the figure is of a network that is trained, here a linear probe is"


def beside(figures: pd.DataFrame, numbers: pd.DataFrame, texts: Mapping[str, Mapping]) -> pd.DataFrame:
    """Rows of the schema "published".

    figures: of resources/biographies/published.csv, all as text. numbers: tidy rows of all tasks, sources and models;
    of several layers, the last is compared. texts: for each task, the result of `stimuli.counted`.
    """
    last = numbers.drop_duplicates(["model", "unit", "definition", "variant"], keep="last")
    ours = {}
    for cell in figures.to_dict("records"):
        row = _size(cell, texts) if cell["table"] == _SIZES else _number(cell, last)
        if row:
            reason = agreement.all_reasons(_TEXTS, _PROBE if row.pop("is_probe", False) else None)
            ours.setdefault(reason, []).append({key: cell[key] for key in agreement.CELL} | row)
    tables = [agreement.of_others(pd.DataFrame(rows), reason) for reason, rows in ours.items()]
    return agreement.beside(METRIC, figures, tables, trained_anew=True)


def _size(cell: Mapping, texts: Mapping[str, Mapping]) -> dict:
    name = next((name for name in units(cell["learned"], cell["tested"]) if name in texts), None)
    return {"paper": float(texts[name][_COUNTS[cell["column"]]])} if name else {}


def _number(cell: Mapping, numbers: pd.DataFrame) -> dict:
    definition = DEFINITIONS[SCRUBBED, BALANCED] if cell["table"] in _ON_BALANCED else LEADING
    rows = numbers[
        (numbers["model"] == cell["source"])
        & numbers["unit"].isin(units(cell["learned"], cell["tested"]))
        & (numbers["definition"] == definition)
        & (numbers["variant"] == _MEASURES[cell["column"]])
    ]
    if rows.empty:
        return {}
    row = rows.iloc[0]
    said = row["note"] if isinstance(row["note"], str) else ""
    bounds = {bound: 100 * row[column] for bound, column in _BOUNDS.items()}
    return bounds | {"said": said, "is_probe": row["group"] != FINETUNED}


def units(learned: str, tested: str) -> list[str]:
    """What a study calls texts in a language, and a language tested with what was learned from another."""
    both = f"bios/{learned}→{tested}"
    if learned != tested:
        return [both]
    return ["bios", both] if learned == "en" else [f"bios-{learned}", both]
