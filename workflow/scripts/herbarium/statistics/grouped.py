"""One mixed model for the scores of any metric, by group: one effect size for all.

A metric writes its scores as a table of the schema "grouped", where groups are, say, continents or languages. A
template is whatever the scores are repeated over besides targets (a seed of fine-tuning, say); a pair is what is itself
repeated over templates and targets: a country.
"""

from collections.abc import Iterator

import pandas as pd
import pyarrow as pa

from herbarium.core.store import schema
from herbarium.statistics.fits import INTERCEPTS, PAIRS, scored

# One row per score, null where it was refused; `group` is a name in words.
GROUPED = schema(
    "grouped",
    ("association", pa.float64()),
    *((name, pa.string()) for name in ("group", "template", "target", "pair", "word")),
    ("weight", pa.float64()),
    nullable=("association",),
)
OTHERS, EACH = "others", "each"


def ask(data: pd.DataFrame) -> Iterator[tuple[dict[str, str], pd.DataFrame, int]]:
    """Keys, data and number of refused sentences of each model of the scores. data: of the schema "grouped".

    First all groups at once, for an effect size. Then each against the others, with a random intercept of what is
    repeated (`pair`), as a group is a group of these and errors without it are too small.
    """
    data, n_refused = scored(data)
    names = sorted(data["group"].unique())
    keys = {"definition": "paper", "subset": "all", "dimension": "all"}
    of_all = data.assign(group=pd.Categorical(data["group"], names))
    yield keys | {"structure": INTERCEPTS, "contrast": EACH}, of_all, n_refused
    for name in names if len(names) > 2 else names[:-1]:  # of two, one says it for both
        against = data.assign(group=(data["group"] == name).astype(float))
        yield keys | {"structure": PAIRS, "contrast": f"{name}-{OTHERS}"}, against, n_refused
