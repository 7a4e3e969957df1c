"""Mean absolute changes of sentences that share frames and words: coverage, and the change of a model that was changed.

`true`: what the change of a model adds to the standard deviation of the words' effects.
"""

import numpy as np
import pandas as pd
from scipy.stats import foldnorm
from studies.validity.rates import Rates

from herbarium.metrics.counterfactual import score
from herbarium.statistics.inference import log_interval, t_p_value

LEVEL, ALPHA = 0.95, 0.05
# Frames and swapped words of each design: all of both, one word in every frame, a word of its own in each.
DESIGNS = {"8 frames of 8 words": (8, 8), "20 frames of 20 words": (20, 20), "20 frames of one word": (20, 1)}
OWN = "20 frames of own words"
SD = np.array([0.6, 0.5, 0.4])  # of frames, of words, and of both together
ELSE = np.hypot(SD[0], SD[2])  # of a given word


def places(name):
    """(n_pairs,) the frame and the words of each pair."""
    if name == OWN:
        return np.arange(20), np.arange(20)
    frames, words = DESIGNS[name]
    return np.repeat(np.arange(frames), words), np.tile(np.arange(words), frames)


def pairs(random, frame, words, of_word, sd):
    """Absolute changes that are normal before their sign is taken away. of_word: what each word adds, which two models
    share; what a frame adds to each, and both together, is their own."""
    effects = [random.normal(size=frame.max() + 1)[frame], of_word[words], random.normal(size=len(frame))]
    absolute = np.abs(sd @ np.array(effects))
    return pd.DataFrame({"frame": frame.astype(str), "terms": words.astype(str), "absolute": absolute})


def rates(n):
    """n: simulated studies of each design."""
    for name in (*DESIGNS, OWN):
        yield from of_design(n, name, 0.0)
    yield from of_design(n, "20 frames of 20 words", 0.5)


def of_design(n, name, true):
    tally = Rates("counterfactual", f"{name}, true {true:g}")
    frame, words = places(name)
    for seed in range(n):
        random = np.random.default_rng([3, seed])
        of_word = random.normal(size=words.max() + 1)
        before, after = (pairs(random, frame, words, of_word, sd) for sd in (SD, np.add(SD, [0, true, 0])))
        mean, _ = score.mean(before)
        low, high = log_interval(mean, LEVEL)
        tally.add("coverage", "mean absolute change", low <= expected(words, of_word) <= high)
        both = before.assign(difference=after["absolute"] - before["absolute"])
        mean, _ = score.mean(both, "difference")
        tally.add("type I error" if true == 0 else "power", "change", t_p_value(mean) <= ALPHA)
    return tally.rows()


def expected(words, of_word):
    """The mean absolute change of all such pairs; of one word that of this word, which is all that is inferred upon."""
    if words.max() > 0:
        return np.sqrt(2 / np.pi * SD @ SD)
    return foldnorm.mean(abs(SD[1] * of_word[0]) / ELSE, scale=ELSE)
