"""What changed in bias scores from one model to another."""

import numpy as np
import pandas as pd
import pytest

from herbarium.metrics.mixed_effects import items
from herbarium.metrics.mixed_effects.changes import changes, difference
from herbarium.metrics.mixed_effects.stimuli import Lists
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


def test_what_both_models_share_cancels():
    before = data(1.0)
    after = before.assign(association=before["association"] - 0.5 * before["group"])
    mean, _ = difference(before, after)
    assert mean.estimate == pytest.approx(-0.5)
    assert np.isnan(mean.variance)  # nothing varies


def test_a_sentence_that_one_model_lacks_counts_for_neither():
    before, after = data(1.0), data(0.4, seed=1)
    lacking = after.assign(association=after["association"].mask(after["word"] == "m0"))
    mean, _ = difference(before, lacking.dropna())
    of_others = [side[side["word"] != "m0"] for side in (before, after)]
    assert mean.estimate == pytest.approx(difference(*of_others)[0].estimate)


def test_too_few_words_have_no_error():
    mean, note = difference(data(1.0, words=3), data(0.4, seed=1, words=3))
    assert mean is None
    assert note == "no error: 3 words of a group: fewer than 4 do not generalise to others"


# --- of a study: two dimensions, three models, two definitions ---

TARGETS = {"openness": ["curious", "playful", "frank", "witty"], "order": ["tidy", "exact", "prompt", "neat"]}
LISTS = Lists(
    templates=pd.DataFrame({"key": [f"t{n}" for n in range(4)]}),
    pairs=pd.DataFrame({"female": [f"f{n}" for n in range(5)], "male": [f"m{n}" for n in range(5)]}),
    pronouns=pd.DataFrame({"gender": ["female", "male"]}),
    targets=pd.DataFrame(
        [(dimension, "positive", target) for dimension, targets in TARGETS.items() for target in targets],
        columns=["dimension", "polarity", "target"],
    ),
)
# Model -> how much further male words are associated with the targets of each dimension.
BIAS = {"base": {"openness": 1.0, "order": -2.0}, "treated": {"openness": 0.25, "order": -1.5}, "other": {}}
COMPARED = [("base", "treated", "base", "treated"), ("other", "base", "other", "base")]


def observed(model):
    """Of the released definition all differences are 10 times as large. In `treated`, a sentence was refused."""
    rows = [
        (definition, template, target, f"f{word}-m{word}", gender, f"{gender[0]}{word}", scale * bias)
        for definition, scale in (("paper", 1), ("released", 10))
        for template in LISTS.templates["key"]
        for dimension, targets in TARGETS.items()
        for bias in [BIAS[model].get(dimension, 0)]
        for target in targets
        for word in range(5)
        for gender in ("female", "male")
    ]
    columns = ["definition", "template", "target", "pair", "gender", "word", "bias"]
    table = pd.DataFrame(rows, columns=columns).assign(pppl=2.0, n_tokens=1)
    of_sentence = table.groupby(["template", "target", "word"]).ngroup() % 7
    table["association"] = of_sentence + table["bias"] * (table["gender"] == "male")
    if model == "treated":
        is_refused = (table["word"] == "f4") & (table["template"] == "t1") & (table["target"] == "tidy")
        table.loc[is_refused, "association"] = np.nan
    return table


def fitted():
    """Only those of CROSSED, of all words and the paper's definition, of this set of stimuli, are small."""
    main = {"definition": "paper", "subset": "all", "structure": "crossed", "data": "traits"}
    others = [{"definition": "released"}, {"subset": "common"}, {"structure": "intercepts"}, {"data": "nouns"}]
    rows = [
        {"model": model, "dimension": dimension, "contrast": "male-female"}
        | {"estimate": score + far, "ci_low": score - 0.5, "ci_high": score + 0.5}
        | {**main, **changed}
        for changed, far in ((other, 99.0 * bool(other)) for other in [*others, {}])
        for model in BIAS
        for dimension, score in ({"openness": 0.0, "order": 0.0} | BIAS[model]).items()
    ]
    return pd.DataFrame(rows)


def test_every_comparison_is_of_its_models_in_its_dimension_and_of_the_papers_definition():
    table = changes("traits", COMPARED, fitted(), {model: observed(model) for model in BIAS}, LISTS)
    assert table[["first", "second", "measure"]].to_numpy().tolist() == [
        ["base", "treated", "Mixed effects, traits: openness"],
        ["other", "base", "Mixed effects, traits: openness"],
        ["base", "treated", "Mixed effects, traits: order"],
        ["other", "base", "Mixed effects, traits: order"],
    ]
    assert table["value_before"].tolist() == [1.0, 0.0, -2.0, 0.0]
    assert table["value_after"].tolist() == [0.25, 1.0, -1.5, -2.0]
    assert table["estimate"].tolist() == pytest.approx([-0.75, 1.0, 0.5, -2.0])
    assert table["note"].isna().all()


def test_a_change_does_not_depend_on_the_released_definition():
    both = {model: observed(model) for model in BIAS}
    alone = {model: table[table["definition"] == "paper"] for model, table in both.items()}
    pd.testing.assert_frame_equal(
        changes("traits", COMPARED, fitted(), both, LISTS), changes("traits", COMPARED, fitted(), alone, LISTS)
    )


def test_an_item_is_a_target_in_a_template_and_its_value_the_bias_there():
    """Of the words that have all sentences: one female word lacks one, and is left out of its dimension."""
    result = items.of_items("treated", "traits", LISTS, observed("treated"))
    assert result.groupby("object")["word"].agg(set).to_dict() == {
        f"traits/{dimension}": set(targets) for dimension, targets in TARGETS.items()
    }
    assert set(result["form"]) == set(LISTS.templates["key"])
    assert (result[["model", "metric", "measure"]] == ["treated", "mixed_effects", "bias"]).all(axis=None)
    assert len(result) == 2 * 4 * 4
    table = observed("treated").query("definition == 'paper'")
    known = table[~((table["word"] == "f4") & table["target"].isin(TARGETS["order"]))]
    means = known.groupby(["target", "template", "gender"])["association"].mean().unstack()
    expected = (means["male"] - means["female"]).rename("value")
    value = result.set_index(["word", "form"])["value"]
    assert value.to_dict() == pytest.approx(expected.to_dict())
    # the mean of items is the bias score
    whole = items.of_items("base", "traits", LISTS, observed("base")).groupby("object")["value"].mean()
    sides = observed("base").query("definition == 'paper'").groupby(["gender", "target"])["association"].mean()
    for dimension, targets in TARGETS.items():
        difference = sides["male"][targets].mean() - sides["female"][targets].mean()
        assert whole[f"traits/{dimension}"] == pytest.approx(difference)


def test_words_of_one_gender_have_no_items():
    alone = observed("base").query("gender == 'male'")
    assert items.of_items("base", "traits", LISTS, alone).empty
