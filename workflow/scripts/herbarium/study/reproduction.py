"""Published figures beside ours: how many of each source can be compared, and all of them in words."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from herbarium.core import store
from herbarium.statistics.agreement import AGREEMENTS, CELL, COMPARED, NOT_COMPARABLE, NOT_MEASURED, counts
from herbarium.study import scope

_COUNTED = ("published", "compared", *AGREEMENTS)
# Of each source: figures in `published.csv` files, and tables and figures as numbered there, by status in scope.csv.
COUNTS, ITEMS = (tuple(name.replace(" ", "_") for name in names) for names in (_COUNTED, scope.STATUSES))
COLUMNS = ["source", *COUNTS, *(f"items_{name}" for name in ITEMS)]
_BESIDE = {"row": "row", "column": "column", "published": "in the paper", "released": "released", "paper": "ours"}
_SAID = """\
in the paper: as printed. ours: by the equations of the paper; released: as the authors' code computes it. A printed
figure agrees with all numbers that round to it. Doubtful: the printed figure may not be what its table says. Not
comparable: ours is of another model or other data. docs/reading_the_numbers.md says more."""


def read(path: str | Path) -> pd.DataFrame:
    """tables/reproduction.csv, with the schema "published"."""
    text = dict.fromkeys([*CELL, "published"], str)
    # "NA" is North America
    return store.read_csv(Path(path).read_bytes(), dtype=text, keep_default_na=False, na_values=[""])


def title(table: str) -> str:
    """The title of a table, appendix or section with figures; a description in words stays as it is."""
    if " " in table:
        return table
    kind = "Table" if table.isdigit() else "Appendix" if table[0].isalpha() else "Section"
    return f"{kind} {table}"


def by_source(
    table: pd.DataFrame, published: Mapping[str, int], sources: Mapping[str, str], items: pd.DataFrame
) -> pd.DataFrame:
    """One row per source, with COLUMNS, in the order of the items.

    table: with the schema "published", of what the study measures. published: metric -> the number of all its published
    figures, whether the study has the metric or not. sources: metric -> its source; a metric without one, which is not
    ours, is a source of its own. items: of `scope.read`.

    `published` is the sum of `compared`, `not_comparable` and `not_measured`.
    """
    of_items = scope.by_source(items)
    found = counts(table.assign(source=_sources_of(table, sources)), ["source"]).set_index("source")
    rows = pd.DataFrame(index=pd.Index([*dict.fromkeys([*of_items.index, *found.index])], name="source"))
    totals = pd.Series(published, dtype=int).groupby(dict(sources)).sum()
    rows["published"] = totals.combine_first(found["n"])
    rows = rows.join(found[["compared", *AGREEMENTS]]).join(of_items).fillna(0).astype(int)
    rows[NOT_MEASURED] = rows["published"] - rows["compared"] - rows[NOT_COMPARABLE]
    return rows.set_axis(COLUMNS[1:], axis=1).reset_index()


def summary(counted: pd.DataFrame, table: pd.DataFrame, sources: Mapping[str, str]) -> str:
    """How many figures of each source, and of each of its tables that are measured. counted: of `by_source`."""
    figures = counted[["source", *COUNTS]]
    everything = figures[[*COUNTS]].sum().rename("all")
    figures = pd.concat([figures.set_index("source"), everything.to_frame().T])
    items = counted.set_index("source")[COLUMNS[-len(ITEMS) :]]
    lines = [
        "Published figures beside ours:",
        "",
        _text(figures.set_axis(_COUNTED, axis=1), "source"),
        "",
        "Tables and figures of each source, in docs/scope.md one by one:",
        "",
        _text(items.set_axis(scope.STATUSES, axis=1), "source"),
    ]
    measured = [f"{name}: {_counted(row)}" for name, row in _by_table(table, sources).items()]
    return "\n".join([*lines, *[""] * bool(measured), *measured])


def listing(table: pd.DataFrame, sources: Mapping[str, str]) -> str:
    """Every figure that has one of ours beside it, table by table."""
    lines = [_SAID]
    for name, row in _by_table(table, sources).items():
        is_here = (table["metric"] == row["metric"]) & (table["table"] == row["table"])
        cells = table[is_here & (table["agreement"] != NOT_MEASURED)]
        shown = cells[[*_BESIDE, "agreement"]].rename(columns=_BESIDE)
        for column in ("released", "ours"):
            shown[column] = ["" if pd.isna(number) else f"{number:.4g}" for number in shown[column]]
        lines += ["", f"{name}: {_counted(row)}", "", shown.to_string(index=False)]
    return "\n".join(lines)


def _by_table(table: pd.DataFrame, sources: Mapping[str, str]) -> dict[str, dict]:
    """The counts of each table of which anything is measured, by its name."""
    rows = counts(table)
    names = _sources_of(rows, sources) + ", " + rows["table"].map(title)
    return {name: row for name, row in zip(names, rows.to_dict("records"), strict=True) if row["n"] > row[NOT_MEASURED]}


def _sources_of(rows: pd.DataFrame, sources: Mapping[str, str]) -> pd.Series:
    return rows["metric"].map(sources).fillna(rows["metric"])


def _counted(row: Mapping) -> str:
    """The counts of a table, as "12 of 28 compared: agrees 10, differs 2"."""
    kinds = [f"{name} {row[name]}" for name in (*COMPARED, NOT_COMPARABLE) if row[name]]
    return f"{row['compared']} of {row['n']} compared: {', '.join(kinds)}"


def _text(table: pd.DataFrame, name: str) -> str:
    return table.rename_axis(columns=name, index=None).to_string()
