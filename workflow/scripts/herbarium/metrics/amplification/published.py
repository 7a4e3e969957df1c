"""Table 5.2 of Zhao's thesis (2021) compared with its numbers recomputed from the authors' own tables of rates, and
posterior regularisation in its Section 5.2 with that of potentials.

Neither is ours to release; a study names them (`amplification.ratios`, `amplification.structured`). For each activity,
tables of rates have its rate in training, and in predictions before and after their algorithm.
"""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from herbarium.core import resources
from herbarium.decisions.names import POSTERIOR
from herbarium.metrics.amplification import score
from herbarium.metrics.amplification.methods import AS_IT_IS
from herbarium.metrics.amplification.numbers import METRIC
from herbarium.statistics import agreement

MARGIN = 0.05  # of the thesis
# Methods and measures of structured outputs that Section 5.2 has.
_METHODS = {AS_IT_IS: "CRF", POSTERIOR: "CRF + PR"}
_MEASURES = ("expected_violations", "violations", "expected_amplification", "amplification")
_POTENTIALS = "the potentials that the figure is of are not recorded"
RATES = ["training_ratio", "gender_ratio_before_RBA", "gender_ratio_after_RBA"]


def read_rates(path: str | Path) -> pd.DataFrame:
    """Columns RATES of a table of the authors. Raises HerbariumError, with column and row, for what is not a rate."""
    table = resources.read_text_table(path, RATES)
    return pd.DataFrame({column: resources.shares(path, table[column]) for column in RATES})


def rows(name: str, rates: pd.DataFrame) -> list[dict]:
    """Violations and mean amplification before and after, `table, row, column, paper`. rates: of `read_rates`. name: of
    the table in the configuration: that of a row of Table 5.2 before its method ("vSRL, development")."""
    training = rates[RATES[0]].to_numpy()
    cells = []
    for method, column in (("CRF", RATES[1]), ("CRF + RBA", RATES[2])):
        predicted = rates[column].to_numpy()
        numbers = {
            "violations": float((abs(predicted - training) > MARGIN).sum()),
            "amplification": float(score.mean_amplification(training, predicted)),
        }
        cells += [
            {"table": "Table 5.2", "row": f"{name}, {method}", "column": column, "paper": n}
            for column, n in numbers.items()
        ]
    return cells


def of_structured(structured: pd.DataFrame) -> list[dict]:
    """Cells of Section 5.2, as of `rows`. structured: of the schema "amplification_structured"."""
    return [
        {
            **{"table": "Section 5.2", "row": f"{row['name']}, {_METHODS[row['method']]}", "column": measure},
            "paper": row[measure],
        }
        for row in structured[structured["method"].isin(_METHODS)].to_dict("records")
        for measure in _MEASURES
    ]


def beside(
    published: pd.DataFrame,
    tables: Mapping[str, pd.DataFrame],
    others: Mapping[str, str],
    structured: pd.DataFrame,
) -> pd.DataFrame:
    """Rows of the schema "published". published: `table, row, column, value, doubt`. tables: of `read_rates`, by the
    names of the configuration. others: the reasons for their contents, of `models.originals`. structured: of the schema
    "amplification_structured"; none is held to be of the authors' potentials."""
    ours = [agreement.of_others(pd.DataFrame(rows(name, rates)), others[name]) for name, rates in tables.items()]
    if cells := of_structured(structured):
        ours.append(agreement.of_others(pd.DataFrame(cells), _POTENTIALS))
    return agreement.beside(METRIC, published, ours)
