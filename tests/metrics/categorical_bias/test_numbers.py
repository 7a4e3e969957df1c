"""Categorical Bias as tidy numbers: what is in the rows, what is left out, and that replicates are paired."""

import itertools

import numpy as np
import pandas as pd
import pytest

from herbarium.metrics.categorical_bias import numbers as table
from herbarium.metrics.categorical_bias import score as cb
from herbarium.metrics.categorical_bias.stimuli import Lists
from herbarium.statistics.replicates import REPLICATES
from herbarium.statistics.tidy import TIDY

TEMPLATES = {"one": "A [singular] from [target].", "many": "[plural] from [target].", "two": "[plural] of [target]."}
TARGETS = {"Peru": "base", "Cuba": "base", "Fiji": "base", "Mali": "base", "Oman": "additional"}
ATTRIBUTES = dict.fromkeys(("spy", "nurse", "maid", "thief", "vet"), "base") | {"slave": "additional"}
BOOTSTRAP = {"replicates": 50, "level": 0.9}
TESTS = {"permutations": 49, "correction": "holm"}


def lists(templates=TEMPLATES, targets=TARGETS, attributes=ATTRIBUTES):
    words = [(key, of, key, f"{key}s") for key, of in attributes.items()]
    return Lists(
        pd.DataFrame(templates.items(), columns=["key", "text"]),
        pd.DataFrame([(key, of, key) for key, of in targets.items()], columns=["key", "set", "target"]),
        pd.DataFrame(words, columns=["key", "set", "singular", "plural"]),
    )


def associations(of, log_p, lengths=None, name="own", definition="paper"):
    """log_p: (n_templates, n_attributes, n_targets) in the order of the lists."""
    keys = [of.templates["key"], of.attributes["key"], of.targets["key"]]
    rows = pd.DataFrame(itertools.product(*keys), columns=["template", "attribute", "target"])
    tokens = dict(zip(of.targets["key"], lengths or [1] * len(of.targets), strict=True))
    return rows.assign(
        list=name,
        definition=definition,
        log_p=np.asarray(log_p).ravel(),
        log_prior=-3.0,
        n_tokens=rows["target"].map(tokens),
        note=None,
    )


@pytest.fixture
def log_p():
    return np.random.default_rng(0).normal(size=(3, 6, 5))


def measured(of, rows, **settings):
    settings = {"bootstrap": BOOTSTRAP, "tests": TESTS, "seed": 1, "ddof": 1} | settings
    return table.measure("tiny", "english", {"own": of}, rows, **settings)


def value(numbers, variant, group="english/own", column="estimate"):
    return numbers.set_index(["variant", "group"]).loc[(variant, group), column]


def test_scores_of_each_set_of_words(log_p):
    numbers, _ = measured(lists(), associations(lists(), log_p))
    assert numbers.columns.tolist() == TIDY.fields.names
    assert value(numbers, "cb") == pytest.approx(cb.score(log_p[:, :5, :4]))
    assert value(numbers, "cb_additional_attributes") == pytest.approx(cb.score(log_p[:, :, :4]))
    assert value(numbers, "cb_additional_targets") == pytest.approx(cb.score(log_p[:, :5]))
    assert value(numbers, "cb_additional_both") == pytest.approx(cb.score(log_p))
    assert value(numbers, "cb", column="n") == 4
    assert value(numbers, "cb_additional_targets", column="n") == 5


def test_a_list_without_additional_words_has_no_such_scores(log_p):
    own = lists(targets=dict.fromkeys(TARGETS, "base"))
    numbers, _ = measured(own, associations(own, log_p))
    assert {"cb", "cb_additional_attributes"} <= set(numbers["variant"])
    assert not {"cb_additional_targets", "cb_additional_both"} & set(numbers["variant"])


def test_templates_attributes_and_targets(log_p):
    numbers, _ = measured(lists(), associations(lists(), log_p))
    base = log_p[:, :5, :4]
    assert value(numbers, "cb", "english/own/many") == pytest.approx(cb.score(base[[1]]))
    assert value(numbers, "cb", "english/own/thief") == pytest.approx(cb.score(base[:, [3]]))
    parts = numbers[numbers["variant"] == "cb_contribution"]
    assert parts["group"].str.split("/").str[-1].tolist() == sorted(["Peru", "Cuba", "Fiji", "Mali"])
    assert parts["estimate"].sum() == pytest.approx(cb.score(base))
    of_cuba = (base - base.mean(axis=2, keepdims=True))[:, :, 1] ** 2 / 3
    assert value(numbers, "cb_contribution", "english/own/Cuba") == pytest.approx(of_cuba.mean())


def test_order_of_rows_and_of_keys_changes_nothing(log_p):
    rows = associations(lists(), log_p)
    numbers, replicates = measured(lists(), rows)
    of = lists(dict(reversed(TEMPLATES.items())), dict(reversed(TARGETS.items())), dict(reversed(ATTRIBUTES.items())))
    other, of_other = measured(of, rows.sample(frac=1, random_state=0))
    pd.testing.assert_frame_equal(numbers, other)
    pd.testing.assert_frame_equal(replicates, of_other)


def test_replicates_say_what_they_are_of(log_p):
    numbers, replicates = measured(lists(), associations(lists(), log_p))
    assert replicates.columns.tolist() == REPLICATES.fields.names
    assert replicates[["model", "metric", "unit"]].drop_duplicates().to_numpy().tolist() == [
        ["tiny", "categorical_bias", "list"]
    ]
    key = ["model", "metric", "definition", "variant", "unit", "group"]
    number = numbers.set_index(key)
    for place, rows in replicates.groupby(key):
        assert rows["replicate"].tolist() == list(range(BOOTSTRAP["replicates"]))
        assert rows["value"].std() == pytest.approx(number.loc[place, "std_error"])


def test_length_and_single_tokens(log_p):
    numbers, _ = measured(lists(), associations(lists(), log_p, lengths=[1, 1, 2, 2, 3]))
    halves = [((log_p[:, :5, i] - log_p[:, :5, j]) ** 2 / 2).mean() for i, j in ((0, 1), (2, 3))]
    assert value(numbers, "cb_equal_length") == pytest.approx(np.mean(halves))
    assert value(numbers, "cb_single_token") == pytest.approx(halves[0])
    assert value(numbers, "length_share") == pytest.approx(1 - np.mean(halves) / value(numbers, "cb"))
    assert value(numbers, "n_tokens", "english/own/Fiji") == 2


def test_without_two_targets_of_one_token_there_is_no_score_but_a_note(log_p):
    numbers, replicates = measured(lists(), associations(lists(), log_p, lengths=[2, 2, 2, 2, 2]))
    assert np.isnan(value(numbers, "cb_single_token"))
    assert value(numbers, "cb_single_token", column="note") == "no two targets are so"
    assert "cb_single_token" not in set(replicates["variant"])


def test_a_refused_target_or_attribute_is_left_out_everywhere_and_said(log_p):
    log_p[:, :, 1] = np.nan  # Cuba
    log_p[1, 3, :] = np.nan  # thief, in one template
    numbers, _ = measured(lists(), associations(lists(), log_p))
    kept = log_p[:, [0, 1, 2, 4]][:, :, [0, 2, 3]]
    assert value(numbers, "cb") == pytest.approx(cb.score(kept))
    assert value(numbers, "cb", column="note") == "without thief, Cuba: sentences were refused"
    assert value(numbers, "cb", column="n") == 3


def test_two_models_are_measured_on_the_same_draws(log_p):
    _, one = measured(lists(), associations(lists(), log_p))
    _, other = measured(lists(), associations(lists(), 2 * log_p))
    np.testing.assert_allclose(other.query("variant == 'cb'")["value"], 4 * one.query("variant == 'cb'")["value"])


def test_intervals_are_of_the_replicates_and_the_divisor_is_told(log_p):
    numbers, replicates = measured(lists(), associations(lists(), log_p))
    values = replicates.query("variant == 'cb'")["value"]
    assert len(values) == 50
    assert value(numbers, "cb", column="ci_low") == pytest.approx(np.quantile(values, 0.05))
    assert value(numbers, "cb", column="std_error") == pytest.approx(values.std())
    biased, _ = measured(lists(), associations(lists(), log_p), ddof=0)
    for variant in ("cb", "cb_equal_length", "part_rest", "cb_of_mean"):
        assert value(biased, variant) == pytest.approx(3 / 4 * value(numbers, variant))


def test_chance_needs_two_forms_that_share_no_word(log_p):
    numbers, _ = measured(lists(), associations(lists(), log_p))
    assert value(numbers, "cb_of_mean") == pytest.approx(cb.score(log_p[:, :5, :4].mean(axis=0, keepdims=True)))
    assert 1 / 50 <= value(numbers, "cb_of_mean", column="p_value") <= 1
    low, high = (value(numbers, "cb_of_mean_null", column=bound) for bound in ("ci_low", "ci_high"))
    assert low <= value(numbers, "cb_of_mean_null") <= high

    one_form = lists(templates={key: text.replace("plural", "singular") for key, text in TEMPLATES.items()})
    numbers, _ = measured(one_form, associations(one_form, log_p))
    assert value(numbers, "cb_of_mean", column="note") == "no chance to compare with: attributes have one form only"
    assert np.isnan(value(numbers, "cb_of_mean", column="p_value"))

    shared = lists()
    shared.attributes["plural"] = shared.attributes["singular"]
    numbers, _ = measured(shared, associations(shared, log_p))
    assert value(numbers, "cb_of_mean", column="note").endswith("too few attributes can change places")


def test_attributes_of_another_prior_do_not_change_places(log_p):
    rows = associations(lists(), log_p)
    rows.loc[rows["attribute"].isin(["spy", "nurse"]), "log_prior"] = -4.0
    rows.loc[rows["attribute"] == "vet", "log_prior"] = -5.0
    numbers, _ = measured(lists(), rows)
    assert value(numbers, "cb_of_mean", column="note") == "4 attributes"


def test_without_replicates_there_are_estimates_alone(log_p):
    numbers, replicates = measured(lists(), associations(lists(), log_p), bootstrap={"replicates": 0, "level": 0.9})
    assert replicates.empty
    assert value(numbers, "cb") == pytest.approx(cb.score(log_p[:, :5, :4]))
    assert np.isnan(value(numbers, "cb", column="ci_low"))


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ((3, 5, 1), "not measured: of one target there is no variance"),
        ((1, 5, 4), None),
        ((3, 1, 4), None),
        ((1, 1, 1), "not measured: of one target there is no variance"),
        ((1, 1, 2), None),
    ],
)
def test_lists_of_one_word_have_a_number_or_a_note(log_p, kept, said):
    templates, attributes, targets = (
        dict(list(words.items())[:n]) for words, n in zip((TEMPLATES, ATTRIBUTES, TARGETS), kept, strict=True)
    )
    of = lists(templates, targets, attributes)
    log_p = log_p[tuple(slice(n) for n in kept)]
    numbers, replicates = measured(of, associations(of, log_p))
    assert replicates.columns.tolist() == REPLICATES.fields.names
    assert numbers.loc[numbers["estimate"].isna(), "note"].notna().all()
    if said is None:
        assert value(numbers, "cb") == pytest.approx(cb.score(log_p))
    else:
        assert (value(numbers, "cb", column="note"), replicates.empty) == (said, True)
        assert numbers["estimate"].isna().all()


def test_where_everything_is_refused_the_rows_say_so(log_p):
    numbers, replicates = measured(lists(), associations(lists(), np.full_like(log_p, np.nan)))
    assert set(numbers["variant"]) == {*table.WORDS, "cb_of_mean"}
    assert numbers["estimate"].isna().all()
    assert set(numbers["note"]) == {
        "not measured: sentences of all attributes, or of all targets but one, were refused"
    }
    assert replicates.empty


def test_equal_scores_have_no_bias_and_no_share_of_it(log_p):
    numbers, _ = measured(lists(), associations(lists(), np.full_like(log_p, -3.0)))
    assert value(numbers, "cb") == 0
    assert np.isnan(value(numbers, "length_share"))
    assert value(numbers, "length_share", column="note") == "no two targets are equally long, or CB is 0"
