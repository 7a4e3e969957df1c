"""One mixed model for the scores of any metric, by group: one effect size for all.

A metric writes its scores as a table of the schema "grouped", where groups are, say, continents or languages. A template
is whatever the scores are repeated over besides targets (a seed of fine-tuning, say); a pair is what is itself repeated
over templates and targets: a country. What all groups explain is asked first, then how each differs from the others.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.random import stream
from herbarium.core.store import schema
from herbarium.metrics.downstream import score
from herbarium.statistics.fits import INTERCEPTS, PAIRS, scored

# One row a score, null where it was refused; `group` is a name in words.
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
