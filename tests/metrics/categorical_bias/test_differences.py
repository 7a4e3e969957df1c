"""Differences of Categorical Bias: paired by keys, adjusted by family, null where a side is, by hand."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.categorical_bias.test_numbers import associations, lists, tokens

from herbarium.metrics.categorical_bias import differences as differences_of
from herbarium.metrics.categorical_bias import score as cb
from herbarium.metrics.categorical_bias.numbers import Cells
from herbarium.statistics import inference

LANGUAGES = {
    "english": {"lists": {"ours": "a", "theirs": "b"}, "models": ["en", "multi"]},
    "greek": {"lists": {"ours": "c"}, "models": ["el", "multi"]},
    "turkish": {"lists": {"ours": "d"}, "models": ["multi"]},
}
LISTS = lists()


def study():
    """log P' and sub-tokens of every model, list and definition."""
    random = np.random.default_rng(3)
    tables, cut = [], []
    for language, item in LANGUAGES.items():
        for model in item["models"]:
            for name in item["lists"]:
                place = {"model": model, "language": language}
                cut.append(tokens(LISTS, name).assign(**place))
                for definition in ("paper", "released"):
                    rows = associations(LISTS, random.normal(size=(3, 8, 5)), name=name, definition=definition)
                    tables.append(rows.assign(**place))
    return pd.concat(tables, ignore_index=True), pd.concat(cut, ignore_index=True)


def differences(measured, languages=LANGUAGES, method="holm"):
    of_lists = {f"{language}/{name}": LISTS for language, item in LANGUAGES.items() for name in item["lists"]}
    return differences_of.differences(*measured, of_lists, languages, 1, 0.9, method)


@pytest.fixture(scope="module")
def measured():
    return study()


@pytest.fixture(scope="module")
def rows(measured):
    return differences(measured)


def values(measured, model, group, definition):
    """log P' of the base words."""
    language, name = group.split("/")
    rows = measured[0]
    rows = rows[(rows["model"] == model) & (rows["language"] == language) & (rows["list"] == name)]
    row = rows[rows["definition"] == definition].sort_values(["template", "attribute", "target"])
    row = row[(row["attribute"] != "slave") & (row["target"] != "Oman")]
    return row["log_p"].to_numpy().reshape(3, 7, 4)


def test_the_pairs(rows):
    one = rows[(rows["definition"] == "paper") & (rows["variant"] == "cb")]
    pairs = one.groupby("unit")[["model", "group"]].agg(list)
    assert list(zip(*pairs.loc["models"], strict=True)) == [
        ("en − multi", "english/ours"),
        ("en − multi", "english/theirs"),
        ("el − multi", "greek/ours"),
    ]
    assert list(zip(*pairs.loc["languages"], strict=True)) == [
        ("multi", "english − greek"),
        ("en − el", "english − greek"),
        ("multi", "english − turkish"),
        ("en − multi", "english − turkish"),
        ("multi", "greek − turkish"),
        ("el − multi", "greek − turkish"),
    ]
    assert list(zip(*pairs.loc["lists"], strict=True)) == [
        ("en", "english/ours − theirs"),
        ("multi", "english/ours − theirs"),
    ]
    assert len(rows) == 2 * 3 * (3 + 6 + 2)


def test_a_model_that_is_the_own_one_of_both_languages_stands_there_once():
    languages = {name: {"lists": {"ours": "x"}, "models": ["multi", "other"]} for name in ("english", "greek")}
    pairs = list(differences_of.language_pairs(languages))
    assert [pair.model for pair in pairs] == ["multi", "other"]


@pytest.mark.parametrize(
    ("unit", "model", "group", "a", "b"),
    [
        ("models", "en − multi", "english/theirs", ("en", "english/theirs"), ("multi", "english/theirs")),
        ("languages", "multi", "english − greek", ("multi", "english/ours"), ("multi", "greek/ours")),
        ("languages", "en − el", "english − greek", ("en", "english/ours"), ("el", "greek/ours")),
        ("lists", "multi", "english/ours − theirs", ("multi", "english/ours"), ("multi", "english/theirs")),
    ],
)
def test_by_hand(measured, rows, unit, model, group, a, b):
    for definition in ("paper", "released"):
        place = (unit, model, group, definition, "cb")
        row = rows.set_index(["unit", "model", "group", "definition", "variant"]).loc[place]
        difference = cb.variances(values(measured, *a, definition)) - cb.variances(values(measured, *b, definition))
        mean = inference.crossed_mean(difference)
        assert row["estimate"] == pytest.approx(difference.mean())
        assert row["std_error"] == pytest.approx(np.sqrt(mean.variance))
        assert (row["ci_low"], row["ci_high"]) == pytest.approx(inference.t_interval(mean, 0.9))
        assert row["p_value"] == pytest.approx(inference.t_p_value(mean))
        assert row["n"] == 4


def test_what_both_sides_share_cancels():
    random = np.random.default_rng(0)
    keys = np.array(list("abc")), np.array(list("pqrst"))
    one, noise = random.normal(size=(2, 3, 5))
    shared = differences_of.difference(Cells(one, keys), Cells(one - 2 + 0.1 * noise, keys))
    assert shared.estimate == pytest.approx(2 - 0.1 * noise.mean())
    assert shared.variance == pytest.approx(0.01 * inference.crossed_mean(noise).variance)


def test_sides_without_a_common_key_are_independent():
    random = np.random.default_rng(1)
    sizes, differences = ((6, 30), (5, 40)), []
    for _ in range(400):
        sides = [random.normal(size=(n, 1)) + random.normal(size=(1, m)) + random.normal(size=(n, m)) for n, m in sizes]
        keys = [tuple(np.array([f"{i}{j:02}" for j in range(n)]) for n in side.shape) for i, side in enumerate(sides)]
        differences.append(differences_of.difference(*map(Cells, sides, keys))[:2])
    estimates, variances = np.transpose(differences)
    assert np.mean(variances) == pytest.approx(np.var(estimates), rel=0.25)


def test_families_of_p_values(measured, rows):
    for method, table in (("holm", rows), ("fdr_bh", differences(measured, method="fdr_bh"))):
        for (unit, *_), family in table.groupby(["unit", "definition", "variant"]):
            assert len(family) == {"models": 3, "languages": 6, "lists": 2}[unit]
            expected = inference.adjust(family["p_value"].to_numpy(), method)
            np.testing.assert_allclose(family["p_adjusted"], expected)


def test_what_a_side_lacks_is_null_with_a_note(measured):
    table, cut = (table.copy() for table in measured)
    greek = (table["language"] == "greek") & (table["model"] == "multi")
    table.loc[greek & (table["target"] == "Mali"), "log_p"] = np.nan
    table.loc[table["language"] == "turkish", "n_tokens"] = table.groupby("target").ngroup() + 1  # all unequal
    table = table[table["model"] != "el"]
    rows = differences((table, cut)).query("definition == 'paper'").set_index(["model", "group", "variant"])
    assert rows.loc[("en − el", "english − greek", "cb"), "note"] == "a side was not measured"
    assert rows.loc[("multi", "english − turkish", "cb_equal_length"), "note"] == "a side was not measured"
    assert rows.loc[("multi", "english − turkish", "cross_form"), "note"] == "a side was not measured"
    row = rows.loc[("multi", "greek − turkish", "cb")]
    assert pd.isna(row["n"])
    assert row["note"] == "the sides have different numbers of targets"
    assert np.isfinite(row["p_value"])


def test_nothing_to_compare(measured):
    assert differences(measured, {"turkish": LANGUAGES["turkish"]}).empty


def test_a_change_is_the_difference_of_the_primary_number_of_the_leading_list(measured, rows):
    of_lists = {f"{language}/{name}": LISTS for language, item in LANGUAGES.items() for name in item["lists"]}
    keys = {"metric": "categorical_bias", "definition": "paper", "variant": "cross_form", "unit": "list"}
    numbers = pd.DataFrame(
        [{**keys, "model": model, "group": "english/ours", "estimate": n} for n, model in enumerate(("en", "multi"))]
    ).assign(ci_low=0.0, ci_high=1.0)
    compared = [("multi", "en", "multi", "en"), ("multi", "gone", "multi", "gone")]
    changes = differences_of.changes(compared, numbers, *measured, of_lists, LANGUAGES)
    (row,) = changes.to_dict("records")  # no other language has both
    is_row = (rows["definition"] == "paper") & (rows["variant"] == "cross_form") & (rows["model"] == "en − multi")
    beside = rows[is_row & (rows["group"] == "english/ours")].iloc[0]
    assert row["measure"] == "Categorical Bias, english/ours"
    assert (row["value_before"], row["value_after"]) == (1, 0)
    assert (row["estimate"], row["std_error"]) == pytest.approx((beside["estimate"], beside["std_error"]))


def test_models_of_different_kinds_are_not_compared(measured):
    table, cut = measured
    is_causal = table["model"] == "en"
    of_causal = table[is_causal & (table["definition"] == "paper")].assign(definition="whole")
    rows = differences((pd.concat([table[~is_causal], of_causal]), cut))
    assert not rows["model"].isin(["en − multi", "en − el"]).any()
    assert set(rows.loc[rows["model"] == "en", "definition"]) == {"whole"}  # its two lists
    assert set(rows.loc[rows["model"] == "multi", "definition"]) == {"paper", "released"}


def test_the_tokenizer_of_another_model_changes_nothing(measured, rows):
    """That of `multi` splits two words so that their forms share a sub-token."""
    table, cut = measured
    of_multi = cut["model"] == "multi"
    split = [
        tokens(LISTS, name, cut=["spy"]).assign(model="multi", language=language)
        for language, item in LANGUAGES.items()
        for name in item["lists"]
    ]
    other = differences((table, pd.concat([*split, cut[~of_multi]])))
    keys = ["definition", "variant", "unit", "model", "group"]
    one, other = (side.set_index(keys)["estimate"] for side in (rows, other))
    is_changed = ~np.isclose(one, other[one.index])
    of_forms = one.index.get_level_values("variant") == "cross_form"
    has_multi = one.index.get_level_values("model").str.contains("multi")
    np.testing.assert_array_equal(is_changed, of_forms & has_multi)
