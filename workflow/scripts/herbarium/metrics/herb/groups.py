"""Groups of HERB for the common mixed model: continents, by f(S) of their countries."""

from collections.abc import Mapping

import pandas as pd
import pyarrow as pa

from herbarium.metrics.herb.likelihoods import frame
from herbarium.regions import levels


def grouped(
    likelihoods: Mapping[str, pa.Table], regions: pd.DataFrame, topics: Mapping[str, list[str]]
) -> pd.DataFrame:
    """Table "grouped" of f(S), one row per template, country and description; `group` is the name of the continent.

    likelihoods: template -> its rows of "likelihoods". A target is a description; a pair, a country.
    """
    countries = levels.countries(regions).set_index("region")
    names = regions.set_index("region")["name"]
    parts = []
    for template, of_template in likelihoods.items():
        f = frame(of_template, topics)
        f = f.loc[f.index.isin(countries.index)].droplevel("topic", axis="columns")
        f = f.loc[:, ~f.columns.duplicated()]  # a description may stand in two topics
        part = f.stack().rename("association").reset_index()
        parts.append(part.assign(template=template))
    rows = pd.concat(parts, ignore_index=True)
    return pd.DataFrame(
        {
            "association": rows["association"],
            "group": rows["region"].map(countries["continent"]).map(names),
            "template": rows["template"],
            "target": rows["description"],
            "pair": rows["region"],
            "word": rows["region"],
            "weight": 1.0,
        }
    )
