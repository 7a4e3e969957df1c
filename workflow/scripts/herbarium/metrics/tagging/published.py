"""Table 6 of Ahn and Oh (2021) compared with our numbers.

`published` is the table of resources/tagging/published.csv. A task represents the language that it is named after, a
model the column of its state and training. Figures are F1 in per cent.
"""

from collections.abc import Mapping

import pandas as pd

from herbarium.metrics.tagging.score import ALL, F1, METRIC
from herbarium.statistics import agreement

COLUMNS = ["model", "language", "column", "published", "paper", "paper_low", "paper_high", "difference", "n", "note"]
COLUMNS += ["doubt"]
_OTHERS = ", by others"  # the same training according to the data sets' pages
OTHER_SENTENCES = "the contents of the data sets that the figure is of are not recorded"
_BOUNDS = {"paper": "estimate", "paper_low": "ci_low", "paper_high": "ci_high"}
_CELL_OF = ["language", "column"]


def table(numbers: pd.DataFrame, published: pd.DataFrame, states: Mapping[str, str], training: Mapping) -> pd.DataFrame:
    """One row per published figure and model that was measured of it.

    numbers: tidy rows of metric "tagging". states: model -> "aligned" or "not aligned"; other models are not in the
    table. training: as in the configuration. `paper` is ours, `difference` ours minus published.
    """
    overall_rows = numbers[(numbers["variant"] == F1) & (numbers["unit"] == ALL)]
    overall_rows = overall_rows.assign(
        language=overall_rows["group"].str.removesuffix(f"/{ALL}"), state=overall_rows["model"].map(states)
    )
    overall_rows = overall_rows.dropna(subset="state")
    overall_rows["column"] = overall_rows["state"] + (", frozen" if training["frozen"] else ", not frozen")
    figures = published.assign(of=published["column"].str.removesuffix(_OTHERS))
    rows = figures.merge(overall_rows, left_on=["language", "of"], right_on=_CELL_OF, suffixes=("", "_ours"))
    rows = rows.assign(
        published=rows["value"].astype(float), **{column: 100 * rows[name] for column, name in _BOUNDS.items()}
    )
    part = f"trained on one of {training['sets']} parts of the sentences" if training["sets"] > 1 else ""
    notes = rows["note"].astype(object).fillna("")
    rows["note"] = [("; ".join(filter(None, (part, note)))) or None for note in notes]
    return rows.assign(difference=rows["paper"] - rows["published"]).reindex(columns=COLUMNS)


def beside(published: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Every published figure compared with ours: rows of the schema "published". rows: of `table`,
    `agreement.marked`."""
    notes = ("of " + rows["model"] + "; " + rows["note"].astype(object).fillna("")).str.removesuffix("; ")
    figures = agreement.placed(published, "6", _CELL_OF)
    return agreement.beside(METRIC, figures, [agreement.placed(rows.assign(said=notes), "6", _CELL_OF)], True)
