"""The same mixed model on the scores of HERB, Categorical Bias and the downstream probes: one effect size for all.

A group is a continent, or a language; a template is a template, or a seed of fine-tuning; a target is a description, an
attribute, or a text; and a pair is what is repeated over all of these: a country, or a target of Categorical Bias. All
sentences weigh the same.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.random import stream
from herbarium.core.store import schema
from herbarium.metrics.downstream import score
from herbarium.metrics.herb import likelihoods as f_of_s
from herbarium.regions import levels
from herbarium.statistics.fits import INTERCEPTS, PAIRS

# One row a sentence: `group` by its name, `pair` what is repeated over templates and targets.
GROUPED = schema(
    "grouped",
    ("association", pa.float64()),
    *((name, pa.string()) for name in ("group", "template", "target", "pair", "word")),
    ("weight", pa.float64()),
    nullable=("association",),
)
OTHERS, EACH = "others", "each"
# The probe of a task's fits is called after the task, behind this.
TASK = "downstream/"


def of_herb(
    likelihoods: Mapping[str, pa.Table], regions: pd.DataFrame, topics: Mapping[str, list[str]]
) -> pd.DataFrame:
    """f(S) of countries, a row a template, country and description; `group` is the name of the continent.

    likelihoods: template -> its rows of "likelihoods".
    """
    countries = levels.countries(regions).set_index("region")
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


def of_downstream(
    log_odds: np.ndarray,
    label: np.ndarray,
    prefixes: pd.DataFrame,
    regions: pd.DataFrame,
    task: str,
    seed: int,
    examples: int = 20,
) -> pd.DataFrame:
    """Effects of countries on the log-odds of the positive class, a row a seed, country and text; `group` is the name
    of the continent.

    log_odds: (n_seeds, n_prefixes, n_examples), natural. label: (n_examples,) 1 or 0. prefixes: rows of
    "task_prefixes", in the order of log_odds. Effects are those beyond the control prefixes (`metrics.downstream`).

    At most so many examples are taken, drawn by label in the proportions of the test set, and the same ones for every
    model. Every text meets every country, so what a text is by itself cancels in the contrast of two continents, and
    its error is that of the countries: more texts would take longer and tell little.
    """
    is_control = (prefixes["kind"] == "control").to_numpy()
    is_country = ((prefixes["unit"] == "country") & prefixes["continent"].notna()).to_numpy()
    texts = _stratified(label, examples, stream(seed, "mixed effects", "downstream", task))
    effects = [score.effects(of_seed[None][..., texts], is_control)[is_country] for of_seed in log_odds]
    countries = prefixes[is_country]
    continents = countries["continent"].map(regions.set_index("region")["name"]).to_numpy()
    at_seed, at_country, at_text = (axis.ravel() for axis in np.indices(np.shape(effects)))
    word = countries["group"].to_numpy()[at_country]
    return pd.DataFrame(
        {
            "association": np.ravel(effects),
            "group": continents[at_country],
            "template": at_seed.astype(str),
            "target": texts[at_text].astype(str),
            "pair": word,
            "word": word,
            "weight": 1.0,
        }
    )


def _stratified(label: np.ndarray, n: int, random: np.random.Generator) -> np.ndarray:
    """Rows of n texts (all, where there are no more), of each label as many as its share asks for; ascending."""
    if len(label) <= n:
        return np.arange(len(label))
    positives, negatives = np.flatnonzero(label == 1), np.flatnonzero(label == 0)
    n_positives = round(n * len(positives) / len(label))
    chosen = [random.permutation(positives)[:n_positives], random.permutation(negatives)[: n - n_positives]]
    return np.sort(np.concatenate(chosen))


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
    for name in names if len(names) > 2 else names[:-1]:  # of two, one says it for both
        against = data.assign(group=(data["group"] == name).astype(float))
        yield keys | {"structure": PAIRS, "contrast": f"{name}-{OTHERS}"}, against, int(refused.sum())
