"""Tables 3.1 and 3.2 of Zhao (2021), and its mean projections, compared with our numbers.

Sources are matched by name: one called `glove`, `hard-glove`, `gn-glove` or `gn-glove-l2` stands beside the figures of
that row. None is held to be the same vectors: those of the thesis are of a corpus and files that are not recorded.
"""

from collections.abc import Collection

import pandas as pd

from herbarium.metrics.word_associations.numbers import ALL, ANALOGY, COSINE, HELD_OUT, PAPER, SEMBIAS, SIMILARITY, SIZE
from herbarium.metrics.word_associations.targets import METRIC
from herbarium.statistics import agreement

_BOUNDS = {"paper": "estimate", "paper_low": "ci_low", "paper_high": "ci_high"}
_TABLES = (_SEMBIAS, _BENCHMARKS, _) = ("Table 3.1", "Table 3.2", "Section 3.1.3")
_SUBSET = "SemBias (subset)"
_VECTORS = "the vectors here are of another corpus or file than those of the figure, whose contents are not recorded"


def beside(figures: pd.DataFrame, numbers: pd.DataFrame, published_lists: Collection[str], pair: str) -> pd.DataFrame:
    """Rows of the schema "published".

    figures: of resources/word_associations/published.csv, all as text. numbers: tidy rows of all sources.
    published_lists: the SemBias lists that are the authors' file. pair: the direction he - she by its name, empty if
    there is none. Sources with several layers are not compared.
    """
    chosen = numbers[(numbers["definition"] == PAPER) & numbers["estimate"].notna()]
    one_layer = chosen.groupby("model")["variant"].transform("nunique") == 1
    chosen = chosen[one_layer]
    ours = [_ours(cell, chosen, published_lists, pair) for cell in figures.to_dict("records")]
    rows = pd.DataFrame([row for row in ours if row])
    return agreement.beside(
        METRIC, figures, [agreement.of_others(rows, _VECTORS)] if len(rows) else [], trained_anew=True
    )


def _ours(cell: dict, estimates: pd.DataFrame, published_lists: Collection[str], pair: str) -> dict | None:
    """Our number for a figure, in its unit; None if there is none."""
    if cell["table"] not in _TABLES:
        return None
    rows, scale = estimates[estimates["model"] == cell["source"]], 100.0
    if cell["table"] == _SEMBIAS:
        group = cell["column"] + (f" ({HELD_OUT})" if cell["row"].startswith(_SUBSET) else "")
        units = [f"{name}, {pair}" for name in published_lists]
        rows = rows[(rows["metric"] == SEMBIAS) & (rows["group"] == group) & rows["unit"].isin(units)]
    elif cell["table"] == _BENCHMARKS:
        rows = rows[
            rows["metric"].isin([SIMILARITY, ANALOGY]) & (rows["group"] == ALL) & (rows["unit"] == cell["column"])
        ]
    else:
        rows, scale = (
            rows[(rows["metric"] == SIZE) & (rows["group"] == COSINE) & rows["unit"].str.endswith(f", {pair}")],
            1.0,
        )
    if rows.empty:
        return None
    row = rows.iloc[0]
    note = row["note"] if isinstance(row["note"], str) else ""
    return {key: cell[key] for key in agreement.CELL} | {
        **{bound: scale * row[column] for bound, column in _BOUNDS.items()},
        "said": note,
    }
