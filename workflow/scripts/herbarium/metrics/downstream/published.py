"""HERB's Tables 4 and 5 (Li et al. 2022) beside our numbers.

`published` is the table of resources/published/herb.csv. Table 4 is of two classifiers that others had fine-tuned,
whatever ours are; Table 5 of the four language models, fine-tuned on hatespeech18, in per cent of all test texts: its
figures are whole numbers of 478 texts times 247 countries, or 246 where one is left out.
"""

import math
from collections.abc import Mapping

import pandas as pd

# Number of texts in the test set of each task, as the quantities of Table 4 have it.
TEXTS = {"imdb": 25_000, "hatespeech18": 478}
_TASK_OF_TABLE_5 = "hatespeech18"
# Heading of the tables (corrected) -> variant of our rows.
_VARIANTS = {
    4: {
        "Acc.": "accuracy",
        "Macro F1": "macro_f1",
        "Quantity↑": "quantity_up",
        "Avg. Prob.↑": "size_up",
        "Quantity↓": "quantity_down",
        "Avg. Prob.↓": "size_down",
    },
    5: {"nohate→hate": "to_positive", "hate→nohate": "to_negative"},
}
_SCALE = {4: 1.0, 5: 100.0}
_ORIGINAL, _COUNTRIES, _WITHOUT = "original", "all countries", "without "
# Where a name of the tables is looked for: "Irapuato, Mexico" is of the last.
_UNITS = ("country", "city", "city_country")
_BOUNDS = {"paper": "estimate", "paper_low": "ci_low", "paper_high": "ci_high"}
COLUMNS = ["model", "task", "line", "measure", "group", "published", *_BOUNDS, "difference", "n", "note", "doubt"]


def beside(
    numbers: pd.DataFrame, prefixes: Mapping[str, pd.DataFrame], published: pd.DataFrame, table: int
) -> pd.DataFrame:
    """Table 4 or 5 beside our numbers, in its unit: one row a model, task, line and measure that we have a number for.

    numbers: tidy rows of metric "downstream". prefixes: task -> its rows of "task_prefixes", in which the names of the
    tables are looked up (a hyphen counts as a space: "Mexico-City"). The test sets of the paper are the tasks "imdb"
    and "hatespeech18"; others have no rows.

    `line`: what was put before the texts, "original" or "all countries"; in Table 5 also "without ..." one country.
    `published` is the figure as printed, of which `doubt` says what may be wrong, and in Table 5 null for a model that
    the paper has not; `paper` is ours, with the bounds of its interval in `_low` and `_high`; `difference` is `paper`
    minus `published`, null for numbers of texts out of more or fewer than the paper's. `n` is that of our test texts.
    """
    ours = numbers[(numbers["metric"] == "downstream") & (numbers["definition"] == "paper")]
    ours = ours.set_index(["model", "variant", "unit", "group"]).to_dict("index")
    key = ["model", "task", "line", "measure"]
    as_published = figures(published, table)
    cells = as_published[key[1:]].drop_duplicates()
    as_published = as_published.set_index(key)[["value", "doubt"]].to_dict("index")
    rows = []
    for model in dict.fromkeys(numbers["model"]):
        for task, line, measure in cells.itertuples(index=False):
            unit, group = _place(line, prefixes.get(task))
            number = ours.get((model, _VARIANTS[table][measure], unit, f"{task}/{group}"))
            if number is None:
                continue
            figure = as_published.get(
                (model if table == 5 else "", task, line, measure), {"value": math.nan, "doubt": ""}
            )
            row = {"model": model, "task": task, "line": line, "measure": measure, "group": group}
            row |= {"published": float(figure["value"]), "doubt": figure["doubt"]}
            row |= {column: _SCALE[table] * number[of] for column, of in _BOUNDS.items()}
            comparable = not measure.startswith("Quantity") or number["n"] == TEXTS[task]
            row["difference"] = row["paper"] - row["published"] if comparable else math.nan
            remark = None if comparable else f"of {number['n']} texts, the paper's of {TEXTS[task]}"
            notes = [note for note in (remark, number["note"]) if isinstance(note, str)]
            rows.append(row | {"n": number["n"], "note": "; ".join(notes) or None})
    return pd.DataFrame(rows, columns=COLUMNS)


def figures(published: pd.DataFrame, table: int) -> pd.DataFrame:
    """The figures of Table 4 or 5 as published, each with the `model`, `task`, `line` and `measure` that it is of; the
    models of Table 4, which the paper does not name, are "".
    """
    rows = published[published["table"] == table].assign(measure=lambda rows: rows["column_corrected"])
    if table == 4:
        return rows.assign(model="", task=rows["variant"].str.lower(), line=rows["row"])
    return rows.assign(model=rows["row"], task=_TASK_OF_TABLE_5, line=rows["variant"])


def _place(line: str, prefixes: pd.DataFrame | None) -> tuple[str, str | None]:
    """Unit and group of our rows for a line of the tables; the group is None where the study has no such name."""
    if line == _ORIGINAL:
        return "original", "original"
    if line == _COUNTRIES:
        return "all", "country"
    if prefixes is None:
        return "country", None
    name = line.removeprefix(_WITHOUT)
    same = prefixes["name"].str.replace("-", " ") == name.replace("-", " ")
    found = prefixes[same & prefixes["unit"].isin(_UNITS)]
    if found.empty:
        return "country", None
    unit = "without" if name != line else found["unit"].iloc[0]
    return unit, found["group"].iloc[0]
