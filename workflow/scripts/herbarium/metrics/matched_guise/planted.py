"""The text in two guises for models of the testbed: what follows the dialect is planted, and therefore known."""

from collections.abc import Iterator

import numpy as np

from herbarium.core.passages import Name
from herbarium.core.random import stream
from herbarium.metrics.matched_guise.score import standardised
from herbarium.metrics.matched_guise.stimuli import DIALECT, GUISES, GuiseLists, Lists, instantiate, takes
from herbarium.training.text import Text, log_softmax, systematic_counts, text

SENTENCES_PER_ATTRIBUTE = 4  # of a pair, guise and prompt, on average


def log_p(lists: Lists, prompt: str, strength: float) -> dict[str, dict[str, float]]:
    """log P(attribute | guise) by guise and attribute, over the attributes that a prompt takes.

    With each standard deviation of their ratings, the log-odds of two attributes fall by the strength from the standard
    to the dialect; half of that lies on either side. One without a rating is as if its rating were the mean.
    """
    values = standardised(np.array(list(lists.ratings.values())))
    ratings = dict(zip(lists.ratings, values.tolist(), strict=True))
    taken = [attribute for attribute in lists.attributes if takes(prompt, attribute)]
    known = np.array([[ratings.get(attribute, 0.0) for attribute in taken]])
    sides = {guise: log_softmax(strength * known * (-0.5 if guise == DIALECT else 0.5))[0] for guise in GUISES}
    return {guise: dict(zip(taken, values.tolist(), strict=True)) for guise, values in sides.items()}


def plant(lists: dict[Name, GuiseLists], strength: float, seed: int) -> Text:
    """The text in two guises from which a model learns its associations."""
    return text(sentence for one in lists.values() for sentence in drawn(one, strength, seed))


def drawn(lists: Lists, strength: float, seed: int) -> Iterator[str]:
    """Each pair, guise and prompt equally often for each of its attributes, and within it attributes by `log_p`."""
    of_prompts = {prompt: log_p(lists, prompt, strength) for prompt in lists.prompts}
    for place, rows in instantiate(lists, 1).groupby(["prompt", "pair", "guise"], sort=False):
        p = np.exp(list(of_prompts[place[0]][place[2]].values()))
        random = stream(seed, "testbed", "matched guise", *map(str, place))
        counts = systematic_counts(p, SENTENCES_PER_ATTRIBUTE * len(rows), random)
        for sentence, count in zip(rows["text"], counts, strict=True):
            yield from [sentence] * int(count)


def expected(lists: Lists, strength: float) -> float:
    """The slope on ratings of a perfect model of the text: the negative strength if every prompt takes every attribute
    and all are rated; else nearly that, as each prompt has a constant of its own."""
    differences: dict[str, list[float]] = {attribute: [] for attribute in lists.ratings}
    for prompt in lists.prompts:
        dialect, standard = log_p(lists, prompt, strength).values()
        for attribute in differences.keys() & dialect.keys():
            differences[attribute].append(dialect[attribute] - standard[attribute])
    q = np.array([np.mean(values) for values in differences.values()])
    return float(q @ standardised(np.array(list(lists.ratings.values()))) / len(q))
