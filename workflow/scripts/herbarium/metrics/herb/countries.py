"""What a model encodes about each country, for comparison with other data about countries.

Measures are one number per country: its own C_w (`LEAVES`: only for countries without sub-regions, as C_w of the others
is about these) and, for each topic, f/{topic}: how much more likely its descriptions are for this country than all
descriptions on average, in natural-log means. Its vector is v of Eq. 2.
"""

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.store import schema
from herbarium.metrics.herb import score

# One row per measure and country, in this order; null if the country was not measured.
COUNTRY_MEASURES = schema(
    "country_measures",
    ("region", pa.string()),
    ("measure", pa.string()),
    ("value", pa.float64()),
    nullable=("value",),
)
# One row per country. `vector` and `norm`, the length of f(S), whose direction is v, are null if a description's
# likelihood is missing; `topics`: of each element of v; `n_tokens`: of its bare name.
COUNTRY_VECTORS = schema(
    "country_vectors",
    ("region", pa.string()),
    ("vector", pa.list_(pa.float64())),
    ("topics", pa.list_(pa.string())),
    ("norm", pa.float64()),
    ("n_tokens", pa.int32()),
    nullable=("vector", "norm"),
)
LEAVES = "C_w_leaves"


def measures(numbers: pd.DataFrame, f: pd.DataFrame, countries: pd.Series) -> pd.DataFrame:
    """Table "country_measures" of a model.

    numbers: tidy rows of metric "herb" of the model. f: f(S) by region and (topic, description), as `likelihoods.frame`
    gives it; a description that was refused for all countries is left out, then every country with a missing one.
    countries: region identifiers.
    """
    rows = numbers[(numbers["metric"] == "herb") & (numbers["definition"] == "paper") & (numbers["variant"] == "C_w")]
    rows = rows.set_index("group").reindex(countries)
    by_measure = {"C_w": rows["estimate"].astype(float)}
    is_leaf = (rows["n"] == 0).to_numpy(bool, na_value=False)
    if not is_leaf[rows["estimate"].notna()].all():
        by_measure[LEAVES] = by_measure["C_w"].where(is_leaf)
    known = _complete(f, countries)
    relative = known.sub(known.mean(axis=1), axis=0)
    for topic in known.columns.unique("topic"):
        by_measure[f"f/{topic}"] = relative[topic].mean(axis=1).reindex(countries)
    table = pd.DataFrame(by_measure).rename_axis("region")
    return table.melt(var_name="measure", ignore_index=False).reset_index()


def vectors(f: pd.DataFrame, n_tokens: pd.Series) -> pd.DataFrame:
    """Table "country_vectors" of a model. f: as for `measures`. n_tokens: by region identifier, of every country."""
    known = _complete(f, n_tokens.index)
    vector = pd.Series(list(score.descriptive_vectors(known.to_numpy(float))), index=known.index, dtype=object)
    vector = vector.reindex(n_tokens.index).replace({np.nan: None})
    norm = pd.Series(np.linalg.norm(known.to_numpy(float), axis=1), known.index).reindex(n_tokens.index)
    topics = pd.Series([known.columns.get_level_values("topic").tolist()] * len(vector), vector.index)
    table = pd.DataFrame({"vector": vector, "topics": topics, "norm": norm, "n_tokens": n_tokens})
    return table.rename_axis("region").reset_index()


def _complete(f: pd.DataFrame, countries: pd.Index | pd.Series) -> pd.DataFrame:
    """f(S) of the countries that have a value for every description that any country has."""
    return f[f.index.isin(countries)].dropna(axis="columns", how="all").dropna()
