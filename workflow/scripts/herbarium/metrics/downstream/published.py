"""HERB's Tables 4 and 5 (Li et al. 2022) compared with our numbers.

`published` is the table of resources/downstream/published.csv, its column `value` as text. Table 4 is about two
classifiers fine-tuned by others, whatever ours are; Table 5 about the four language models, fine-tuned on hatespeech18,
in per cent of all test texts: its figures are whole numbers of 478 texts times 247 countries, or 246 if one is left
out.
"""

import math
from collections.abc import Collection, Mapping

import pandas as pd

from herbarium.metrics.downstream.numbers import METRIC
from herbarium.statistics import agreement

TABLES = (4, 5)
# Number of texts in the test set of each task, according to the quantities of Table 4.
TEXTS = {"imdb": 25_000, "hatespeech18": 478}
_TASK_OF_TABLE_5 = "hatespeech18"
# End of the name of a study's task that is trained on all texts, as the paper's classifiers are.
WHOLE = "-whole"
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
# Units in which a name of the tables is looked up: "Irapuato, Mexico" is in the last.
_UNITS = ("country", "city", "city_country")
_BOUNDS = {"paper": "estimate", "paper_low": "ci_low", "paper_high": "ci_high"}
_CELL_OF = ["model", "task", "line", "measure"]  # the key of a cell of either table
_UNNAMED = "the paper does not say which classifiers these figures are for"
COLUMNS = ["model", "task", "line", "measure", "group", "published", *_BOUNDS, "difference", "n", "note", "doubt"]


def beside(published: pd.DataFrame, tables: Mapping[int, pd.DataFrame]) -> pd.DataFrame:
    """Every published figure compared with ours: rows of the schema "published". tables: number -> of `table`,
    `agreement.marked`."""
    as_published = pd.concat([figures(published, number) for number in TABLES])
    as_published = agreement.placed(as_published, as_published["table"].astype(str), _CELL_OF)
    ours = [_placed(rows, number) for number, rows in tables.items()]
    return agreement.beside(METRIC, as_published, ours, trained_anew=True)


def reasons(table: pd.DataFrame, number: int, others: Mapping[str, Mapping[str, str]]) -> list[str]:
    """For each row of a table of `table`, why ours is of another model or of other texts; empty if it is of the same.
    others: the reasons for "models" and "data" of the study, of `models.originals`."""
    if number == 4:
        return [_UNNAMED] * len(table)
    rows = zip(table["model"], table["task"], strict=True)
    data = others["data"]
    return [agreement.all_reasons(others["models"].get(model), data[measured_as(task, data)]) for model, task in rows]


def measured_as(task: str, tasks: Collection[str]) -> str:
    """The task of a study that stands beside figures of a task of the paper: the one that is trained on all texts, if
    there is one. tasks: those of the study."""
    return task + WHOLE if task + WHOLE in tasks else task


def _placed(rows: pd.DataFrame, number: int) -> pd.DataFrame:
    """Ours by cell; counts of another number of texts than the paper's are left out."""
    is_comparable = rows["difference"].notna() | ~rows.get("comparable", pd.Series(True, rows.index))
    rows = rows[rows["published"].notna()]
    rows = rows.assign(**{column: rows[column].where(is_comparable) for column in _BOUNDS})
    notes = rows["note"].astype(object).fillna("")
    if number == 4:  # whose classifiers have no name
        notes = ("of " + rows["model"] + "; " + notes).str.removesuffix("; ")
        rows = rows.assign(model="")
    return agreement.placed(rows.assign(said=notes), str(number), _CELL_OF)


def table(
    numbers: pd.DataFrame, prefixes: Mapping[str, pd.DataFrame], published: pd.DataFrame, number: int
) -> pd.DataFrame:
    """Table 4 or 5 compared with our numbers, in its unit: one row per model, task, line and measure for which we have
    a number.

    numbers: tidy rows of metric "downstream". prefixes: task -> its rows of "task_prefixes", in which the names of the
    tables are looked up (a hyphen counts as a space: "Mexico-City"). The test sets of the paper are the tasks "imdb"
    and "hatespeech18", or "imdb-whole" and "hatespeech18-whole" if the study has them; others have no rows.

    `line`: what was put before the texts, "original" or "all countries"; in Table 5 also "without ..." one country.
    `published` is the figure as printed, with `doubt` for what may be wrong, and in Table 5 null for a model that is
    not in the paper; `paper` is ours, with the bounds of its interval in `_low` and `_high`; `difference` is `paper`
    minus `published`, null for counts if the number of texts differs from the paper's. `n` is that of our test texts.
    """
    ours = numbers[(numbers["metric"] == METRIC) & (numbers["definition"] == "paper")]
    ours = ours.set_index(["model", "variant", "unit", "group"]).to_dict("index")
    as_published = figures(published, number)
    cells = as_published[_CELL_OF[1:]].drop_duplicates()
    as_published = as_published.set_index(_CELL_OF)[["value", "doubt"]].to_dict("index")
    rows = []
    for model in dict.fromkeys(numbers["model"]):
        for task, line, measure in cells.itertuples(index=False):
            name = measured_as(task, prefixes)
            unit, group = _place(line, prefixes.get(name))
            our = ours.get((model, _VARIANTS[number][measure], unit, f"{name}/{group}"))
            if our is None:
                continue
            figure = as_published.get(
                (model if number == 5 else "", task, line, measure), {"value": math.nan, "doubt": ""}
            )
            row = {"model": model, "task": task, "line": line, "measure": measure, "group": group}
            row |= {"published": float(figure["value"]), "doubt": figure["doubt"]}
            row |= {column: _SCALE[number] * our[source] for column, source in _BOUNDS.items()}
            comparable = not measure.startswith("Quantity") or our["n"] == TEXTS[task]
            row["difference"] = row["paper"] - row["published"] if comparable else math.nan
            remark = None if comparable else f"of {our['n']} texts, the paper's of {TEXTS[task]}"
            notes = [note for note in (remark, our["note"]) if isinstance(note, str)]
            rows.append(row | {"n": our["n"], "note": "; ".join(notes) or None})
    return pd.DataFrame(rows, columns=COLUMNS)


def figures(published: pd.DataFrame, number: int) -> pd.DataFrame:
    """The figures of Table 4 or 5 as published, each with its `model`, `task`, `line` and `measure`; the models of
    Table 4, which the paper does not name, are "".
    """
    rows = published[published["table"] == number].assign(measure=lambda rows: rows["column_corrected"])
    if number == 4:
        return rows.assign(model="", task=rows["variant"].str.lower(), line=rows["row"])
    return rows.assign(model=rows["row"], task=_TASK_OF_TABLE_5, line=rows["variant"])


def _place(line: str, prefixes: pd.DataFrame | None) -> tuple[str, str | None]:
    """Unit and group of our rows for a line of the tables; the group is None if the study has no such name."""
    if line == _ORIGINAL:
        return "original", "original"
    if line == _COUNTRIES:
        return "all", "country"
    if prefixes is None:
        return "country", None
    name = line.removeprefix(_WITHOUT)
    same = prefixes["name"].str.replace("-", " ") == name.replace("-", " ")
    matches = prefixes[same & prefixes["unit"].isin(_UNITS)]
    if matches.empty:
        return "country", None
    unit = "without" if name != line else matches["unit"].iloc[0]
    return unit, matches["group"].iloc[0]
