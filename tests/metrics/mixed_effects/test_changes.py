"""What changed in bias scores from one model to another."""

import numpy as np
import pandas as pd
import pytest

from herbarium.metrics.mixed_effects import items, stimuli
from herbarium.metrics.mixed_effects.changes import changes, difference
from herbarium.statistics import crossed

LISTS = stimuli.Lists(
    templates=pd.DataFrame({"key": [f"t{n}" for n in range(5)]}),
    pairs=pd.DataFrame({"female": ["f0"], "male": ["m0"]}),
    pronouns=pd.DataFrame(),
    targets=pd.DataFrame({"target": [f"x{n}" for n in range(5)], "dimension": "serenity", "polarity": "positive"}),
)
COMPARED = [("before", "after", "before", "after")]


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


def observed(lean, seed=0):
    """Of one dimension; released associations are far off, the other way."""
    table = data(lean, seed)
    table = table.assign(definition="paper", gender=table["group"].map({1: "male", 0: "female"}), pppl=1.0)
    return pd.concat([table, table.assign(definition="released", association=-90 * table["association"])])


def of_two_models():
    observations = {"before": observed(1.0), "after": observed(0.4, seed=1)}
    keys = {"data": "traits", "dimension": "serenity", "contrast": "male-female"}
    kinds = [("paper", "all", "crossed"), ("released", "all", "crossed"), ("paper", "shared", "crossed")]
    kinds.append(("paper", "all", "slopes"))
    fits = [
        dict(zip(("definition", "subset", "structure"), kind, strict=True)) | keys | {"model": model, "estimate": value}
        for model, value in (("before", 1.0), ("after", 0.4))
        for kind, value in zip(kinds, (value, 77.0, 78.0, 79.0), strict=True)
    ]
    fits = pd.DataFrame(fits).assign(
        ci_low=lambda rows: rows["estimate"] - 1, ci_high=lambda rows: rows["estimate"] + 1
    )
    return changes("traits", COMPARED, fits, observations, LISTS), observations


def bias(observations):
    means = observations[observations["definition"] == "paper"].groupby("gender")["association"].mean()
    return means["male"] - means["female"]


def test_a_change_is_of_the_papers_definition_and_main_question():
    table, observations = of_two_models()
    (row,) = table.to_dict("records")
    assert (row["measure"], row["value_before"], row["value_after"]) == ("Mixed effects, traits: serenity", 1.0, 0.4)
    assert row["estimate"] == pytest.approx(bias(observations["after"]) - bias(observations["before"]))
    assert 0 < row["std_error"] < 1


def test_items_are_the_differences_whose_mean_is_the_bias_score():
    observations = observed(1.0)
    table = items.of_items("before", "traits", LISTS, observations)
    assert table["value"].mean() == pytest.approx(bias(observations))
    assert table["object"].unique().tolist() == ["traits/serenity"]
    assert not table.duplicated(["word", "form"]).any()
    cell = table.iloc[0]
    of_cell = observations[(observations["target"] == cell["word"]) & (observations["template"] == cell["form"])]
    assert cell["value"] == pytest.approx(bias(of_cell))
    one_group = observations[observations["gender"] == "male"]
    assert items.of_items("before", "traits", LISTS, one_group).empty
