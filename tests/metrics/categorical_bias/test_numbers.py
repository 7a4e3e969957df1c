"""Categorical Bias as tidy numbers: what is in the rows, and what is left out."""

import itertools

import numpy as np
import pandas as pd
import pytest

from herbarium.metrics.categorical_bias import numbers as table
from herbarium.metrics.categorical_bias import score as cb
from herbarium.metrics.categorical_bias.stimuli import Lists
from herbarium.statistics import inference
from herbarium.statistics.items import ITEMS
from herbarium.statistics.tidy import TIDY

TEMPLATES = {"one": "A [singular] from [target].", "many": "[plural] from [target].", "two": "[plural] of [target]."}
TARGETS = {"Peru": "base", "Cuba": "base", "Fiji": "base", "Mali": "base", "Oman": "additional"}
ATTRIBUTES = dict.fromkeys(("spy", "nurse", "maid", "thief", "vet", "chef", "pimp"), "base") | {"slave": "additional"}
TESTS = {"permutations": 49, "correction": "holm"}


def lists(templates=TEMPLATES, targets=TARGETS, attributes=ATTRIBUTES):
    words = [(key, set_name, key, f"{key}s") for key, set_name in attributes.items()]
    return Lists(
        pd.DataFrame(templates.items(), columns=["key", "text"]),
        pd.DataFrame([(key, set_name, key) for key, set_name in targets.items()], columns=["key", "set", "target"]),
        pd.DataFrame(words, columns=["key", "set", "singular", "plural"]),
    )


def associations(word_lists, log_p, lengths=None, name="own", definition="paper"):
    """log_p: (n_templates, n_attributes, n_targets) in the order of the lists."""
    keys = [word_lists.templates["key"], word_lists.attributes["key"], word_lists.targets["key"]]
    rows = pd.DataFrame(itertools.product(*keys), columns=["template", "attribute", "target"])
    tokens = dict(zip(word_lists.targets["key"], lengths or [1] * len(word_lists.targets), strict=True))
    return rows.assign(
        list=name,
        definition=definition,
        log_p=np.asarray(log_p).ravel(),
        log_prior=-3.0,
        beside=0,
        n_tokens=rows["target"].map(tokens),
        note=None,
    )


def tokens(word_lists, name="own", cut=()):
    """Sub-tokens of attributes: each form is one of its own. cut: words that are two, of which the forms share one."""
    rows = [
        {"list": name, "form": form, "attribute": key, "token": 2 * place + (form == "plural")}
        for place, key in enumerate(word_lists.attributes["key"])
        for form in ("singular", "plural")
    ]
    shared = [row | {"token": 100 + place} for place, row in enumerate(rows) if row["attribute"] in cut]
    shared = [row | {"token": row["token"] // 2} for row in shared]
    return pd.DataFrame(rows + shared)


@pytest.fixture
def log_p():
    return np.random.default_rng(0).normal(size=(3, 8, 5))


def measured(word_lists, rows, cut=(), **settings):
    settings = {"level": 0.9, "tests": TESTS, "seed": 1, "ddof": 1} | settings
    return table.measure("tiny", "english", {"own": word_lists}, rows, tokens(word_lists, cut=cut), **settings)


def value(numbers, variant, group="english/own", column="estimate"):
    return numbers.set_index(["variant", "group"]).loc[(variant, group), column]


def test_scores_of_each_set_of_words(log_p):
    numbers, _ = measured(lists(), associations(lists(), log_p))
    assert numbers.columns.tolist() == TIDY.fields.names
    assert value(numbers, "cb") == pytest.approx(cb.score(log_p[:, :7, :4]))
    assert value(numbers, "cb_additional_attributes") == pytest.approx(cb.score(log_p[:, :, :4]))
    assert value(numbers, "cb_additional_targets") == pytest.approx(cb.score(log_p[:, :7]))
    assert value(numbers, "cb_additional_both") == pytest.approx(cb.score(log_p))
    assert value(numbers, "cb", column="n") == 4
    assert value(numbers, "cb_additional_targets", column="n") == 5


def test_a_list_without_additional_words_has_no_such_scores(log_p):
    word_lists = lists(targets=dict.fromkeys(TARGETS, "base"))
    numbers, _ = measured(word_lists, associations(word_lists, log_p))
    assert {"cb", "cb_additional_attributes"} <= set(numbers["variant"])
    assert not {"cb_additional_targets", "cb_additional_both"} & set(numbers["variant"])


def test_templates_attributes_and_targets(log_p):
    numbers, _ = measured(lists(), associations(lists(), log_p))
    base = log_p[:, :7, :4]
    assert value(numbers, "cb", "english/own/many") == pytest.approx(cb.score(base[[1]]))
    assert value(numbers, "cb", "english/own/thief") == pytest.approx(cb.score(base[:, [3]]))
    parts = numbers[numbers["variant"] == "cb_contribution"]
    assert parts["group"].str.split("/").str[-1].tolist() == sorted(["Peru", "Cuba", "Fiji", "Mali"])
    assert parts["estimate"].sum() == pytest.approx(cb.score(base))
    of_cuba = (base - base.mean(axis=2, keepdims=True))[:, :, 1] ** 2 / 3
    assert value(numbers, "cb_contribution", "english/own/Cuba") == pytest.approx(of_cuba.mean())


def test_order_of_rows_and_of_keys_changes_nothing(log_p):
    rows = associations(lists(), log_p)
    numbers, items = measured(lists(), rows)
    word_lists = lists(
        dict(reversed(TEMPLATES.items())), dict(reversed(TARGETS.items())), dict(reversed(ATTRIBUTES.items()))
    )
    other, of_other = measured(word_lists, rows.sample(frac=1, random_state=0))
    pd.testing.assert_frame_equal(numbers, other)
    pd.testing.assert_frame_equal(items, of_other)


def test_items_are_what_the_covariance_of_each_attribute_is_the_mean_of(log_p):
    numbers, items = measured(lists(), associations(lists(), log_p))
    assert items.columns.tolist() == ITEMS.fields.names
    assert items[["model", "metric", "measure"]].drop_duplicates().to_numpy().tolist() == [
        ["tiny", "categorical_bias", "cross_form, english, own"]
    ]
    assert set(items["form"]) == {"one × many", "one × two"}
    means = items.groupby("object")["value"].mean()
    for key, mean in means.items():
        assert value(numbers, "cross_form", f"english/own/{key}") == pytest.approx(mean)
    assert value(numbers, "cross_form") == pytest.approx(means.mean())


def test_length_and_single_tokens(log_p):
    numbers, _ = measured(lists(), associations(lists(), log_p, lengths=[1, 1, 2, 2, 3]))
    halves = [((log_p[:, :7, i] - log_p[:, :7, j]) ** 2 / 2).mean() for i, j in ((0, 1), (2, 3))]
    assert value(numbers, "cb_equal_length") == pytest.approx(np.mean(halves))
    assert value(numbers, "cb_single_token") == pytest.approx(halves[0])
    assert value(numbers, "length_share") == pytest.approx(1 - np.mean(halves) / value(numbers, "cb"))
    assert value(numbers, "n_tokens", "english/own/Fiji") == 2


def test_without_two_targets_of_one_token_there_is_no_score_but_a_note(log_p):
    numbers, _ = measured(lists(), associations(lists(), log_p, lengths=[2, 2, 2, 2, 2]))
    assert np.isnan(value(numbers, "cb_single_token"))
    assert value(numbers, "cb_single_token", column="note") == "no two such targets"


def test_a_refused_target_or_attribute_is_left_out_everywhere_and_said(log_p):
    log_p[:, :, 1] = np.nan  # Cuba
    log_p[1, 3, :] = np.nan  # thief, in one template
    numbers, _ = measured(lists(), associations(lists(), log_p))
    kept = log_p[:, [0, 1, 2, 4, 5, 6]][:, :, [0, 2, 3]]
    assert value(numbers, "cb") == pytest.approx(cb.score(kept))
    assert value(numbers, "cb", column="note") == "without thief, Cuba: sentences were refused"
    assert value(numbers, "cb", column="n") == 3


def test_intervals_are_over_templates_and_attributes_and_the_divisor_is_told(log_p):
    numbers, _ = measured(lists(), associations(lists(), log_p))
    mean = inference.crossed_mean(cb.variances(log_p[:, :7, :4]))
    bounds = [value(numbers, "cb", column=bound) for bound in ("ci_low", "ci_high")]
    assert bounds == pytest.approx(inference.log_interval(mean, 0.9))
    assert value(numbers, "cb", column="std_error") == pytest.approx(np.sqrt(mean.variance))
    biased, _ = measured(lists(), associations(lists(), log_p), ddof=0)
    for variant in ("cb", "cb_equal_length", "part_rest"):
        assert value(biased, variant) == pytest.approx(3 / 4 * value(numbers, variant))
    assert value(biased, "cross_form") == value(numbers, "cross_form")  # a covariance without bias


def test_the_covariance_of_forms(log_p):
    numbers, _ = measured(lists(), associations(lists(), log_p))
    is_one = np.array([True, False, False])
    log_p = log_p[:, :7, :4]
    forms = cb.Forms.of(log_p, is_one, np.zeros(7, dtype=int), np.zeros(4, dtype=int))
    assert value(numbers, "cross_form") == pytest.approx(forms.covariance())
    mean = inference.crossed_mean(forms.products().mean(axis=3))
    bounds = [value(numbers, "cross_form", column=bound) for bound in ("ci_low", "ci_high")]
    assert bounds == pytest.approx(inference.stabilised_interval(mean, forms.null_error(), 0.9))
    assert 1 / 50 <= value(numbers, "cross_form", column="p_value") <= 1
    ends = inference.stabilised_interval(mean, forms.null_error(), 0.9)  # two one-sided tests at 5 %
    assert value(numbers, "cross_form_bound") == pytest.approx(max(np.abs(ends)))


def test_the_covariance_needs_two_forms_that_share_no_sub_token(log_p):
    numbers, _ = measured(lists(), associations(lists(), log_p), cut=["spy"])
    assert value(numbers, "cross_form", column="note").startswith("6 attributes")
    numbers, items = measured(lists(), associations(lists(), log_p), cut=["spy", "vet"])
    assert "leaves 5 attributes whose forms" in value(numbers, "cross_form", column="note")
    assert np.isnan(value(numbers, "cross_form"))
    assert items.empty
    one_form = lists(templates={key: text.replace("plural", "singular") for key, text in TEMPLATES.items()})
    numbers, _ = measured(one_form, associations(one_form, log_p))
    assert "attributes have only one form" in value(numbers, "cross_form", column="note")
    assert np.isnan(value(numbers, "cross_form", column="p_value"))


def test_attributes_of_another_prior_are_no_company(log_p):
    rows = associations(lists(), log_p)
    rows.loc[rows["attribute"] == "vet", "log_prior"] = -5.0
    numbers, _ = measured(lists(), rows)
    assert value(numbers, "cross_form", column="note").startswith("6 attributes")


def test_targets_of_another_length_are_no_company(log_p):
    numbers, items = measured(lists(), associations(lists(), log_p, lengths=[1, 1, 1, 2, 1]))
    assert "Mali" not in set(items["word"])
    forms = cb.Forms.of(
        log_p[:, :7, :3], np.array([True, False, False]), np.zeros(7, dtype=int), np.zeros(3, dtype=int)
    )
    assert value(numbers, "cross_form") == pytest.approx(forms.covariance())


@pytest.mark.parametrize(
    ("kept", "message"),
    [
        ((3, 7, 1), "not measured: one target has no variance"),
        ((1, 7, 4), None),
        ((3, 1, 4), None),
        ((1, 1, 1), "not measured: one target has no variance"),
        ((1, 1, 2), None),
    ],
)
def test_lists_of_one_word_have_a_number_or_a_note(log_p, kept, message):
    templates, attributes, targets = (
        dict(list(words.items())[:n]) for words, n in zip((TEMPLATES, ATTRIBUTES, TARGETS), kept, strict=True)
    )
    word_lists = lists(templates, targets, attributes)
    log_p = log_p[tuple(slice(n) for n in kept)]
    numbers, items = measured(word_lists, associations(word_lists, log_p))
    assert items.columns.tolist() == ITEMS.fields.names
    assert items.empty
    assert numbers.loc[numbers["estimate"].isna(), "note"].notna().all()
    if message is None:
        assert value(numbers, "cb") == pytest.approx(cb.score(log_p))
    else:
        assert value(numbers, "cb", column="note") == message
        assert numbers["estimate"].isna().all()


def test_where_everything_is_refused_the_rows_say_so(log_p):
    numbers, items = measured(lists(), associations(lists(), np.full_like(log_p, np.nan)))
    assert set(numbers["variant"]) == {*table.WORDS, "cross_form"}
    assert numbers["estimate"].isna().all()
    assert set(numbers["note"]) == {
        "not measured: sentences with all attributes, or with all targets but one, were refused"
    }
    assert items.empty


def test_equal_scores_have_no_bias_and_no_share_of_it(log_p):
    numbers, _ = measured(lists(), associations(lists(), np.full_like(log_p, -3.0)))
    assert value(numbers, "cb") == 0
    assert np.isnan(value(numbers, "length_share"))
    assert value(numbers, "length_share", column="note") == "no two targets are equally long, or CB is 0"


def test_attributes_that_the_prior_does_not_tell_apart_are_compared_where_what_is_beside_them_is_the_same(log_p):
    """Of causal models: the last two attributes have other words beside them, each its own, and are not compared."""
    rows = associations(lists(), log_p, definition="whole")
    rows["beside"] = rows["attribute"].map({"chef": 1, "spy": 2}).fillna(0)
    few = lists(attributes=ATTRIBUTES | {"cook": "base"})
    more = associations(few, np.random.default_rng(1).normal(size=(3, 9, 5)), definition="whole")
    more["beside"] = more["attribute"].map({"chef": 1, "spy": 2}).fillna(0)
    cube = table.cube(more, few, additional_attributes=False, additional_targets=False)
    cross = table.cross_form(cube, table.tokens_of(tokens(few), "own"))
    assert set(cross.attributes) == {"nurse", "maid", "thief", "vet", "pimp", "cook"}
    numbers, items = measured(lists(), rows)
    assert "leaves 5 attributes" in value(numbers, "cross_form", column="note")
    assert items.empty


def test_an_attribute_whose_only_company_has_forms_of_one_sub_token_is_left_out_too(log_p):
    rows = associations(lists(), log_p)
    rows.loc[rows["attribute"].isin(["vet", "spy"]), "log_prior"] = -5.0
    numbers, items = measured(lists(), rows)
    assert value(numbers, "cross_form", column="note").startswith("7 attributes")
    numbers, items = measured(lists(), rows, cut=["vet"])
    assert "leaves 5 attributes" in value(numbers, "cross_form", column="note")
    assert items.empty


def test_lists_and_definitions_of_a_language_are_one_family(log_p):
    """Two lists, and two definitions of each."""
    random = np.random.default_rng(1)
    of_lists = [
        associations(lists(), log_p + random.normal(size=(1, 8, 5)), name=name, definition=definition)
        for name in ("own", "other")
        for definition in ("paper", "released")
    ]
    cut = pd.concat([tokens(lists(), name) for name in ("own", "other")])
    tests = {"permutations": 199, "correction": "holm"}
    both = dict.fromkeys(("own", "other"), lists())
    numbers, _ = table.measure("m", "greek", both, pd.concat(of_lists), cut, 1, 0.9, tests, 0)
    tested = numbers[numbers["p_value"].notna()]
    assert set(tested["variant"]) == {"cross_form"}
    assert len(tested) == 4
    p = tested["p_value"].to_numpy(float)
    assert tested["p_adjusted"].tolist() == pytest.approx(inference.adjust(p, "holm").tolist())
    assert (tested["p_adjusted"] > tested["p_value"]).any()


def test_each_list_has_its_own_tokens_and_items_are_of_the_first_definition(log_p):
    """In the templates of the second list, the tokenizer splits two words so that their forms share a sub-token."""
    rows = [associations(lists(), log_p, name=name) for name in ("own", "other")]
    rows += [associations(lists(), 2 * log_p, definition="released")]
    cut = pd.concat([tokens(lists(), "own"), tokens(lists(), "other", cut=["spy", "vet"])])
    tests = {"permutations": 9, "correction": "holm"}
    both = dict.fromkeys(("own", "other"), lists())
    numbers, items = table.measure("m", "greek", both, pd.concat(rows), cut, 1, 0.9, tests, 0)
    primary = numbers[(numbers["variant"] == "cross_form") & (numbers["unit"] == "list")]
    is_measured = primary.set_index(["definition", "group"])["estimate"].notna()
    assert is_measured.to_dict() == {
        ("paper", "greek/own"): True,
        ("paper", "greek/other"): False,
        ("released", "greek/own"): True,
    }
    alone = table.measure("m", "greek", {"own": lists()}, rows[0], tokens(lists(), "own"), 1, 0.9, tests, 0)[1]
    pd.testing.assert_frame_equal(items.reset_index(drop=True), alone.reset_index(drop=True))


def test_the_share_by_length_is_of_the_templates_in_which_targets_are_equally_long(log_p):
    """In the first template no two targets are."""
    lengths = np.array([[1, 2, 3, 4, 5], [1, 1, 2, 2, 1], [1, 1, 1, 2, 1]])
    rows = associations(lists(), log_p * np.array([5.0, 1, 2])[:, None, None])
    places = pd.MultiIndex.from_product([TEMPLATES, ATTRIBUTES, TARGETS], names=["template", "attribute", "target"])
    n_tokens = pd.Series(np.broadcast_to(lengths[:, None], (3, 8, 5)).ravel(), places)
    rows["n_tokens"] = n_tokens.loc[pd.MultiIndex.from_frame(rows[places.names])].to_numpy()
    base = table.cube(rows, lists(), additional_attributes=False, additional_targets=False)
    by_variant = table.cells(base, 1)
    share = table.length_share(by_variant, 0.9)
    whole, equal = by_variant["cb"], by_variant["cb_equal_length"]
    kept = np.isin(whole.keys[0], equal.keys[0])
    assert kept.sum() == 2 < len(kept)
    ratio = equal.values.mean() / whole.values.mean()
    errors = inference.crossed_mean(equal.values / equal.values.mean() - whole.values[kept] / whole.values[kept].mean())
    assert share["estimate"] == pytest.approx(1 - ratio)
    assert share["std_error"] == pytest.approx(ratio * np.sqrt(errors.variance))


def test_a_p_value_of_permutations_counts_the_study_itself():
    """Forms that agree so well that no permutation does."""
    truth = np.random.default_rng(3).normal(size=(12, 6))
    forms = cb.Forms.of(np.stack([truth, truth]), np.array([True, False]), np.zeros(12, int), np.zeros(6, int))
    assert table.permutation_p_value(forms, 99, np.random.default_rng(0)) == 1 / 100
