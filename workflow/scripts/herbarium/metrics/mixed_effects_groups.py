"""The same mixed model on the scores of HERB and Categorical Bias, so that all metrics have one effect size.

A group is a continent, or a language; a template is a template; a target is a description, or an attribute; and a pair
is what is repeated over all of these: a country, or a target of Categorical Bias. All sentences weigh the same.
"""

from collections.abc import Iterator, Mapping

import pandas as pd
import pyarrow as pa

from herbarium import hierarchy
from herbarium.metrics.mixed_effects_fits import INTERCEPTS, PAIRS
from herbarium.probes import likelihoods as f_of_s

OTHERS, EACH = "others", "each"


def of_herb(
    likelihoods: Mapping[str, pa.Table], regions: pd.DataFrame, topics: Mapping[str, list[str]]
) -> pd.DataFrame:
    """f(S) of countries, a row a template, country and description; `group` is the name of the continent.

    likelihoods: template -> its rows of "likelihoods".
    """
    countries = hierarchy.countries(regions).set_index("region")
    names = regions.set_index("region")["name"]
    parts = []
    for template, of_template in likelihoods.items():
        f = f_of_s.frame(of_template, topics)
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


def of_categorical_bias(associations: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """log P' of a model, a row a template, attribute and target; `group` is the language.

    associations: language -> rows of "associations" of its leading list and one definition.
    """
    parts = [of_language.assign(group=language) for language, of_language in associations.items()]
    rows = pd.concat(parts, ignore_index=True)
    return pd.DataFrame(
        {
            "association": rows["log_p"],
            "group": rows["group"],
            "template": rows["template"],
            "target": rows["attribute"],
            "pair": rows["target"],
            "word": rows["target"],
            "weight": 1.0,
        }
    )


def ask(data: pd.DataFrame) -> Iterator[tuple[dict[str, str], pd.DataFrame, int]]:
    """Keys, data and number of refused sentences of each model of the scores.

    First all groups at once, for an effect size. Then each against the others, with a random intercept of what is
    repeated (`pair`), as a group is a group of these and errors without it are too small.
    """
    refused = data["association"].isna()
    data = data[~refused].reset_index(drop=True)
    names = sorted(data["group"].unique())
    of_all = data.assign(group=pd.Categorical(data["group"], names))
    keys = {"definition": "paper", "subset": "all", "dimension": "all"}
    yield keys | {"structure": INTERCEPTS, "contrast": EACH}, of_all, int(refused.sum())
    for name in names if len(names) > 1 else []:
        against = data.assign(group=(data["group"] == name).astype(float))
        yield keys | {"structure": PAIRS, "contrast": f"{name}-{OTHERS}"}, against, int(refused.sum())
