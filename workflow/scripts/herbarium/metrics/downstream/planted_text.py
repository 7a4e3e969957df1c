"""Planted texts: a task of the testbed whose label depends on the region with a known strength.

A text is a prefix and a body: "I am from Peru. People are shy and wise and loyal."

- The prefix is the task's own template with the name of a country in 60 % of the training texts, and with a control or
  a nonsense name in 15 %; 25 % have none, and no test text has one, as it gets one when it is measured. The countries
  take turns in random order, so that each is met equally often; so do the controls and nonsense names together.
- The body is "People are A and B and C." with three different words. By default these are the descriptions of HERB,
  which the models of the testbed know. Each has a weight, standard normal, drawn from the seed and the word.
- The label is positive with the log-odds SCALE · (sum of the three weights) + strength · (lean of the country).
  Controls and nonsense names lean nowhere, nor does a text without prefix. A country's lean is the first dimension of
  its lean in the testbed (`leans.region_leans`), standardised over the countries: mean 0, standard deviation 1. So a
  planted model can know beforehand, from its own training text, in what countries differ.
- No text is there twice. Texts are drawn until there are enough of each label, and those that are too many of one are
  left out, which adds one constant to the log-odds of a split. A quarter of each label is to test with.

With strength 0 the label depends on the body alone, and a region must change nothing.
"""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from herbarium.core import resources
from herbarium.core.errors import HerbariumError
from herbarium.core.random import stream
from herbarium.metrics.downstream.prefixes import put_before
from herbarium.metrics.downstream.tasks import CLASSES, NEGATIVE, POSITIVE, TEST, TRAIN
from herbarium.regions.leans import country_leans

SHARE_OF_REGIONS, SHARE_OF_CONTROLS = 0.6, 0.15
SHARE_OF_TEST = 0.25
N_WORDS = 3
SCALE = 1.0
BODY = "People are [words]."
# What the configuration of another task says of its table.
LAYOUT = {
    "text": "text",
    "label": "label",
    "id": "id",
    "source": None,
    "negative": [NEGATIVE],
    "positive": [POSITIVE],
    "ignored": [],
    "split": {"column": "split", "train": [TRAIN], "test": [TEST], "test_share": None, "balanced": False},
}


def planted_effect(regions: pd.DataFrame, strength: float, seed: int) -> pd.Series:
    """What a region adds to the log-odds of the positive label, natural, by the region id of each country.

    regions: table "regions". It should be found as the effect of the country's prefix against controls.
    """
    return strength * country_leans(regions, seed)


def word_weights(words: list[str], seed: int) -> pd.Series:
    """What each word adds to the log-odds."""
    weights = [SCALE * stream(seed, "planted_text", "word", word).standard_normal() for word in words]
    return pd.Series(weights, index=words)


def table(
    task: dict, name: str, regions: pd.DataFrame, nonsense: list[str], words: list[str], seed: int
) -> pd.DataFrame:
    """The table of a task with planted texts: columns id, text, label and split, which `LAYOUT` describes.

    task: as in the configuration. name: of the task; two tasks have other texts, the same weights and leans. regions:
    table "regions". words: once each.

    Raises HerbariumError when the words are too few for so many texts.
    """
    if math.perm(len(words), N_WORDS) < task["data"]["texts"]:
        raise HerbariumError(
            f"downstream.tasks.{name}: {task['data']['texts']} planted texts are more than {len(words)} words "
            f"can make, {N_WORDS} a text; give fewer texts, or more words under downstream.words."
        )
    n_of_class = task["data"]["texts"] // len(CLASSES)
    n_test = round(SHARE_OF_TEST * n_of_class)
    effects = planted_effect(regions, task["data"]["planted"], seed)
    name_of = regions.set_index("region")["name"]
    of_countries = [(name_of[region], effect) for region, effect in effects.items()]
    of_controls = [(filler, 0.0) for filler in (*task["controls"], *nonsense)]
    weights = word_weights(words, seed)
    seen: set[str] = set()
    rows = []
    for split, n, template in ((TEST, n_test, ""), (TRAIN, n_of_class - n_test, task["prefix"])):
        rng = stream(seed, "planted_text", name, split)
        count = dict.fromkeys(CLASSES, 0)
        for text, log_odds in _texts(template, of_countries, of_controls, weights, rng):
            label = CLASSES[int(rng.uniform() < 1 / (1 + np.exp(-log_odds)))]
            if text in seen or count[label] == n:
                continue
            seen.add(text)
            count[label] += 1
            rows.append({"id": str(len(rows) + 1), "text": text, "label": label, "split": split})
            if sum(count.values()) == n * len(CLASSES):
                break
    return pd.DataFrame(rows)


def _texts(
    template: str,
    countries: list[tuple[str, float]],
    controls: list[tuple[str, float]],
    weights: pd.Series,
    rng: np.random.Generator,
) -> Iterator[tuple[str, float]]:
    """Texts without end, and their log-odds. template: empty for texts without prefix. countries, controls: what fills
    it, and its log-odds.
    """
    of_region, of_control = _turns(countries, rng), _turns(controls, rng)
    while True:
        kind = rng.uniform()
        prefix, log_odds = "", 0.0
        if template and kind < SHARE_OF_REGIONS + SHARE_OF_CONTROLS:
            filler, log_odds = next(of_region if kind < SHARE_OF_REGIONS else of_control)
            prefix = resources.fill(template, region=filler)[0]
        chosen = weights.iloc[rng.choice(len(weights), N_WORDS, replace=False)]
        body = resources.fill(BODY, words=" and ".join(chosen.index))[0]
        yield put_before(prefix, body), log_odds + chosen.sum()


def _turns(items: list, rng: np.random.Generator) -> Iterator:
    """Items without end: all in random order, again and again."""
    while True:
        yield from (items[k] for k in rng.permutation(len(items)))
