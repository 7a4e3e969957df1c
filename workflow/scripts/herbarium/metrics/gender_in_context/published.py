"""Counts and accuracies of Section 3.2.2 of Zhao (2021) compared with ours.

Every corpus whose pronouns are counted stands beside Table 3.4, and every source of vectors of sentences about men and
women beside the accuracies of Section 3.2.2.3. None is the same: the One Billion Word Benchmark, ELMo and the sentences
of OntoNotes are not part of the project.
"""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from herbarium.metrics.gender_in_context.counts import FEMININE, MASCULINE
from herbarium.metrics.gender_in_context.names import ACCURACY, GAP, METRIC, PAIRS, RBF
from herbarium.statistics import agreement

_CORPUS = "the figure is of the One Billion Word Benchmark"
_VECTORS = "the figure is of ELMo and of sentences of OntoNotes"
_PRONOUNS = {MASCULINE: "M", FEMININE: "F"}
_COUNTED = {
    "n_pronouns": "#occurrence",
    "n_masculine_occupations": "#M-biased occs.",
    "n_feminine_occupations": "#F-biased occs.",
}
_GENDERS = {MASCULINE: "male", FEMININE: "female"}


def beside(
    figures: pd.DataFrame, numbers: pd.DataFrame, counts: pd.DataFrame, sides: Mapping[str, Sequence[str]]
) -> pd.DataFrame:
    """Rows of the schema "published".

    figures: of resources/gender_in_context/published.csv, all as text. numbers: tidy rows of all sources and sets.
    counts: of `counts.count`, of all corpora. sides: of each set; the gap is the accuracy of the first minus that of
    the second.
    """
    ours = ((_CORPUS, _counted(counts)), (_VECTORS, _accuracies(numbers, sides)))
    tables = [(reason, pd.DataFrame(rows)) for reason, rows in ours]
    return agreement.beside(
        METRIC, figures, [agreement.of_others(rows, reason) for reason, rows in tables if len(rows)]
    )


def _counted(counts: pd.DataFrame) -> Iterator[dict]:
    for row in counts.to_dict("records"):
        for name, column in _COUNTED.items():
            cell = {"table": "Table 3.4", "row": _PRONOUNS[row["pronouns"]], "column": column}
            yield cell | {"paper": float(row[name]), "said": f"of {row['corpus']}"}


def _accuracies(numbers: pd.DataFrame, sides: Mapping[str, Sequence[str]]) -> Iterator[dict]:
    """Of the last layer, by the kernel of the thesis; no pair of sentences is in training and in test texts, but words
    are, as there."""
    rows = numbers[(numbers["definition"] == PAIRS) & numbers["variant"].isin([f"{ACCURACY}_{RBF}", f"{GAP}_{RBF}"])]
    values = rows.pivot(index=["model", "unit", "group"], columns="variant", values="estimate")
    last = values.reset_index().merge(rows.drop_duplicates(["model", "unit"], keep="last")[["model", "unit", "group"]])
    for row in last.to_dict("records"):
        if set(sides[row["unit"]]) != set(_GENDERS):
            continue
        half = row[f"{GAP}_{RBF}"] / 2
        for gender, part in zip(sides[row["unit"]], (half, -half), strict=True):
            cell = {"table": "Section 3.2.2.3", "row": "ELMo", "column": _GENDERS[gender]}
            said = f"of {row['model']}, {row['unit']}, {row['group']}"
            yield cell | {"paper": 100 * (row[f"{ACCURACY}_{RBF}"] + part), "said": said}
