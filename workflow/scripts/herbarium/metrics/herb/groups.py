"""Continents as groups of countries, whose profiles over descriptions are compared (`statistics.grouped`)."""

from collections.abc import Mapping

import pandas as pd
import pyarrow as pa

from herbarium.metrics.herb.likelihoods import frame
from herbarium.regions import levels


def grouped(
    likelihoods: Mapping[str, pa.Table],
    regions: pd.DataFrame,
    topics: Mapping[str, list[str]],
    name_tokens: Mapping[str, int],
) -> pd.DataFrame:
    """Table "grouped" of f(S), one row per template, country and description; `group` is the name of the continent.

    Only countries whose name is one token, or the fewest that any has, are used: longer names share tokens (Islands,
    Republic), more often within a continent, and f(S) is also a mean over the tokens of the name. With all names,
    continents differ in unbiased models (docs/groups.md). likelihoods: template -> its rows of
    "likelihoods". name_tokens: of `likelihoods.name_tokens`.
    """
    countries = levels.countries(regions).set_index("region")
    tokens = countries["name"].map(name_tokens)
    countries = countries[tokens == min(name_tokens.values())]
    names = regions.set_index("region")["name"]
    parts = []
    for template, of_template in likelihoods.items():
        f = frame(of_template, topics)
        f = f.loc[f.index.isin(countries.index)].droplevel("topic", axis="columns")
        f = f.loc[:, ~f.columns.duplicated()]  # a description may be in two topics
        parts.append(f.stack().rename("score").reset_index().assign(template=template))
    rows = pd.concat(parts, ignore_index=True)
    return pd.DataFrame(
        {
            "score": rows["score"],
            "template": rows["template"],
            "item": rows["description"],
            "unit": rows["region"],
            "group": rows["region"].map(countries["continent"]).map(names),
        }
    )
