"""Planted texts: a task of the testbed whose label depends on the region with a known strength.

A text is a prefix and a body: "I am from Peru. People are shy and wise and loyal."

- The prefix is the task's own template with a name in it in 75 % of the training texts; the others have none, and no
  test text has one, as it gets one when it is measured. Countries, controls and nonsense names take turns together, in
  random order: each occurs equally often, so that the effect of nonsense names after training, with labels that do not
  depend on them, is that of chance for any name.
- The body is "People are A and B and C." with three different words. By default these are the descriptions of HERB,
  which the models of the testbed know. Each has a weight, standard normal, drawn from the seed and the word; their mean
  is subtracted, so that half of the labels are positive.
- The label is positive with the log-odds SCALE · (sum of the three weights) + strength · (lean of the country).
  Controls and nonsense names have no lean, nor does a text without prefix. A country's lean is the first dimension of
  its lean in the testbed (`leans.region_leans`), standardised over the countries: mean 0, standard deviation 1. So a
  planted model can know from its own training text how countries differ.
- No text occurs twice: a body that already occurred with its prefix is redrawn. A quarter of the texts is for testing.
- Each text has a writer, for tasks that name groups: `groups: {writer: {column: writer, values: [A, B]}}`. Labels of
  both writers follow the words equally often, but not on each side (`writers`).

With strength 0 the label depends only on the body, and a region must change nothing.
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
from herbarium.training.text import word_weights

SHARE_OF_NAMES = 0.75
SHARE_OF_TEST = 0.25
N_WORDS = 3
SCALE = 1.0
WRITERS = ("A", "B")
# That a text is of the writer whose labels are noisier on its side: if its label is against its words, and if not.
AGAINST, ALONG = 0.8, 0.4
BODY = "People are [words]."
# The layout of the table, as in the configuration of other tasks.
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
    """What a region adds to the natural log-odds of the positive label, by the region id of each country.

    regions: table "regions". It should be found as the effect of the country's prefix against controls.
    """
    return strength * country_leans(regions, seed)


def table(
    task: dict, name: str, regions: pd.DataFrame, nonsense: list[str], words: list[str], seed: int
) -> pd.DataFrame:
    """The table of a task with planted texts: columns id, text, label and split, which `LAYOUT` describes, and writer.

    task: as in the configuration. name: of the task; two tasks have different texts, but the same weights and leans.
    regions: table "regions". words: once each.

    Raises HerbariumError if there are too few words for the number of texts.
    """
    if math.perm(len(words), N_WORDS) < task["data"]["texts"]:
        raise HerbariumError(
            f"downstream.tasks.{name}: {task['data']['texts']} planted texts are more than {len(words)} words can "
            f"make, with {N_WORDS} per text; give fewer texts, or more words under downstream.words."
        )
    effects = planted_effect(regions, task["data"]["planted"], seed)
    name_of = regions.set_index("region")["name"]
    fillers = [(name_of[region], effect) for region, effect in effects.items()]
    fillers += [(filler, 0.0) for filler in (*task["controls"], *nonsense)]
    weights = SCALE * word_weights(words, seed)
    n_test = round(SHARE_OF_TEST * task["data"]["texts"])
    seen: set[str] = set()
    rows, of_words = [], []
    for split, n, share in ((TEST, n_test, 0.0), (TRAIN, task["data"]["texts"] - n_test, SHARE_OF_NAMES)):
        rng = stream(seed, "planted_text", name, split)
        turns = _turns(fillers, rng)
        for _ in range(n):
            prefix, log_odds = "", 0.0
            if rng.uniform() < share:
                filler, log_odds = next(turns)
                prefix = resources.fill(task["prefix"], region=filler)[0]
            text, summed = _new_text(prefix, weights, seen, rng)
            label = CLASSES[int(rng.uniform() < 1 / (1 + np.exp(-log_odds - summed)))]
            of_words.append(summed)
            rows.append({"id": str(len(rows) + 1), "text": text, "label": label, "split": split})
    texts = pd.DataFrame(rows)
    is_positive = (texts["label"] == POSITIVE).to_numpy()
    return texts.assign(writer=writers(np.array(of_words), is_positive, stream(seed, "planted_text", name, "writers")))


def writers(of_words: np.ndarray, is_positive: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """(n,) the writer of each text. of_words: (n,) the log-odds of its words. is_positive: (n,) its label.

    Where words speak for the positive label, labels of B are against them more often; where they speak for the negative
    one, labels of A. So a classifier that follows the words is right equally often for both writers, but has more false
    positives among texts of B, and more false negatives among those of A. By their labels, texts of B are positive less
    often than those of A; by such predictions, equally often.
    """
    for_positive = of_words > 0
    is_noisier = random.uniform(size=len(of_words)) < np.where(for_positive == is_positive, ALONG, AGAINST)
    return np.where(is_noisier == for_positive, WRITERS[1], WRITERS[0])


def _new_text(prefix: str, weights: pd.Series, seen: set[str], rng: np.random.Generator) -> tuple[str, float]:
    """A text with this prefix that is not among those seen, which gain it, and the log-odds of its words."""
    while True:
        chosen = weights.iloc[rng.choice(len(weights), N_WORDS, replace=False)]
        text = put_before(prefix, resources.fill(BODY, words=" and ".join(chosen.index))[0])
        if text not in seen:
            seen.add(text)
            return text, chosen.sum()


def _turns(items: list, rng: np.random.Generator) -> Iterator:
    """An endless stream of the items: all in random order, repeatedly."""
    while True:
        yield from (items[k] for k in rng.permutation(len(items)))
