"""What changed in bias scores from one model to another."""

import numpy as np
import pandas as pd
import pytest

from herbarium.metrics.mixed_effects.changes import difference
from herbarium.statistics import crossed


def data(lean, seed=0, words=6, templates=5, targets=5):
    """Of `questions.select`: `lean` is the bias score."""
    random = np.random.default_rng(seed)
    rows = [
        (group, f"{'fm'[group]}{word}", f"pair{word}", f"t{template}", f"x{target}", group * lean + random.normal())
        for group in (0, 1)
        for word in range(words)
        for template in range(templates)
        for target in range(targets)
    ]
    columns = ["group", "word", "pair", "template", "target", "association"]
    return pd.DataFrame(rows, columns=columns).assign(weight=1.0)


def test_the_change_is_the_bias_score_of_the_differences():
    before, after = data(1.0), data(0.4, seed=1)
    mean, note = difference(before, after)
    rows = [crossed.difference(crossed.words(side)).estimate for side in (before, after)]
    assert mean.estimate == pytest.approx(rows[1] - rows[0])
    assert note is None
    by_hand = before.assign(association=after["association"] - before["association"])
    assert mean.variance == pytest.approx(crossed.difference(crossed.words(by_hand)).variance)
    shifted = before.assign(association=before["association"] - 0.5 * before["group"])
    mean, _ = difference(before, shifted)  # what both models share cancels, and nothing varies
    assert mean.estimate == pytest.approx(-0.5)
    assert np.isnan(mean.variance)
    mean, note = difference(data(1.0, words=3), data(0.4, seed=1, words=3))
    assert mean is None
    assert note == "no error: 3 words of a group: fewer than 4 do not generalise to others"


def test_a_sentence_that_one_model_lacks_counts_for_neither():
    before, after = data(1.0), data(0.4, seed=1)
    lacking = after.assign(association=after["association"].mask(after["word"] == "m0"))
    mean, _ = difference(before, lacking.dropna())
    of_others = [side[side["word"] != "m0"] for side in (before, after)]
    assert mean.estimate == pytest.approx(difference(*of_others)[0].estimate)
