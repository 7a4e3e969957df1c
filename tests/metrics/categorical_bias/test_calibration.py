"""Categorical Bias of what has a planted bias, beside what the planted distribution implies."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.categorical_bias.test_numbers import associations, lists, tokens

from herbarium.metrics.categorical_bias import calibration, numbers, planted
from herbarium.metrics.categorical_bias import score as cb
from herbarium.metrics.categorical_bias.report import part
from herbarium.statistics.calibration import CALIBRATION

LANGUAGES = {
    "greek": {"lists": {"first": "a", "second": "b"}, "models": ["strong", "none", "weak", "real"]},
    "korean": {"lists": {"only": "c"}, "models": ["weak"]},
}
PLANTED = {"strong": 2.0, "none": 0.0, "weak": 1.0, "real": None}
SEED, LISTS = 7, lists()
PLACES = [*((model, "greek") for model in ("strong", "none", "weak", "real")), ("weak", "korean")]


def learned(share):
    """log P' of every model, list and language: that share of what is planted, and noise of templates."""
    tables, cut = [], []
    for place, (model, language) in enumerate(PLACES):
        random = np.random.default_rng(place)
        truth = planted.log_p_prime(LISTS, PLANTED[model] or 0.0, SEED).to_numpy()
        for name in LANGUAGES[language]["lists"]:
            log_p = share * truth + random.normal(size=(3, 1, truth.shape[1]))
            rows = associations(LISTS, log_p, name=name)
            tables.append(rows.assign(model=model, language=language))
            cut.append(tokens(LISTS, name).assign(model=model, language=language))
    return pd.concat(tables, ignore_index=True), pd.concat(cut, ignore_index=True)


def measured_of(model):
    """Numbers of one model in Greek."""
    table, cut = (side[(side["model"] == model) & (side["language"] == "greek")] for side in learned(1.0))
    lists_of = dict.fromkeys(LANGUAGES["greek"]["lists"], LISTS)
    tests = {"permutations": 9, "correction": "holm"}
    return numbers.measure(model, "greek", lists_of, table, cut, 1, 0.95, tests, 0)[0]


def rows_of(share=1.0, strengths=PLANTED):
    table, cut = learned(share)
    measured = [
        numbers.measure(
            model,
            language,
            dict.fromkeys(LANGUAGES[language]["lists"], LISTS),
            *(table[(table["model"] == model) & (table["language"] == language)] for table in (table, cut)),
            1,
            0.95,
            {"permutations": 9, "correction": "holm"},
            0,
        )[0]
        for model, language in PLACES
    ]
    of_languages = dict.fromkeys(LANGUAGES, LISTS)
    return calibration.rows(pd.concat(measured), table, cut, of_languages, LANGUAGES, strengths, 1, SEED)


def test_the_leading_list_of_a_language_is_a_series_from_weak_to_strong():
    rows = rows_of()
    assert rows.columns.tolist() == CALIBRATION.fields.names
    for _, group in rows.groupby("panel"):
        series = group.groupby("series", sort=False)[["model", "planted"]].agg(list)
        assert series.to_dict("index") == {
            "korean": {"model": ["weak"], "planted": [1.0]},
            "greek": {"model": ["none", "weak", "strong"], "planted": [0.0, 1.0, 2.0]},
        }
    assert rows["panel"].unique().tolist() == ["categorical_bias", "categorical_bias_cb"]  # the primary number leads


def test_a_model_that_learned_all_of_its_text_has_the_expected_covariance():
    rows = rows_of()
    chosen = rows[(rows["panel"] == "categorical_bias") & (rows["planted"] > 0)]
    np.testing.assert_allclose(chosen["estimate"], chosen["expected"])
    np.testing.assert_allclose(chosen["learned"], 1)
    half = rows_of(0.5)
    half = half[(half["panel"] == "categorical_bias") & (half["planted"] > 0)]
    np.testing.assert_allclose(half["learned"], 0.5)
    np.testing.assert_allclose(half["estimate"], half["expected"] / 4)
    none = rows[rows["planted"] == 0]
    np.testing.assert_allclose(none["expected"], 0, atol=1e-12)
    assert none["learned"].isna().all()


def test_the_expected_cb_is_that_of_the_planted_distribution():
    rows = rows_of()
    chosen = rows[(rows["panel"] == "categorical_bias_cb") & (rows["model"] == "strong")]
    log_p = planted.attribute_target_log_p(LISTS.attributes["key"], LISTS.targets["key"], 2.0, SEED)
    prime = log_p - np.log(np.exp(log_p).mean(axis=0))
    base = prime[LISTS.attributes["set"] == "base"][:, LISTS.targets["set"] == "base"]
    assert chosen["expected"].item() == pytest.approx(cb.score(base[None]))


def test_the_page_has_the_section_that_the_panels_name():
    sections = {section for section, _ in part._SECTIONS}
    assert {panel.section for panel in calibration.PANELS.values()} <= sections


def test_nothing_planted_is_no_row():
    rows = rows_of(strengths=dict.fromkeys(PLANTED))
    assert rows.empty
    assert rows.columns.tolist() == CALIBRATION.fields.names


def test_a_causal_model_that_learned_all_of_its_text_has_the_expected_numbers():
    """Both are exact: its prior is the mean over the attributes of the list, as that of the planted distribution."""
    strength = 2.0
    p = np.exp(planted.attribute_target_log_p(LISTS.attributes["key"], LISTS.targets["key"], strength, SEED))
    log_p = np.log(p / p.mean(axis=0))
    rows = associations(LISTS, [log_p] * 3, definition="whole").assign(model="strong", language="korean")
    cut = tokens(LISTS).assign(model="strong", language="korean")
    expected = calibration._implied(rows, cut, LISTS, strength, 1, SEED)
    tested = numbers.cube(rows, LISTS, additional_attributes=False, additional_targets=False)
    primary = numbers.cross_form(tested, numbers.tokens_of(cut, "own"))
    values = {"cb": cb.score(tested.log_p), "cross_form": primary.forms.covariance()}
    assert {row["variant"]: row["expected"] for row in expected} == pytest.approx(values)
    assert {row["variant"]: row["learned"] for row in expected} == pytest.approx(dict.fromkeys(values, 1))


def test_the_tokenizer_of_another_model_changes_nothing():
    """It splits two words so that their forms share a sub-token, in both languages."""
    table, cut = learned(1.0)
    is_real = cut["model"] == "real"
    split = [tokens(LISTS, name, cut=["spy", "maid"]) for name in LANGUAGES["greek"]["lists"]]
    split = pd.concat(split).assign(model="real", language="greek")
    truth = [
        calibration._implied(rows, tokens_of_all, LISTS, 2.0, 1, SEED)
        for rows in [table[(table["model"] == "strong") & (table["list"] == "first")]]
        for tokens_of_all in (cut, pd.concat([split, cut[~is_real]]))
    ]
    assert truth[0] == truth[1]


def test_a_model_of_which_nothing_is_expected_keeps_its_row():
    """Its associations are not there."""
    table, cut = learned(1.0)
    numbers_of_strong = measured_of("strong")
    both = pd.concat([numbers_of_strong, numbers_of_strong.assign(model="weak")])
    of_strong, of_languages = table[table["model"] == "strong"], dict.fromkeys(LANGUAGES, LISTS)
    rows = calibration.rows(both, of_strong, cut, of_languages, LANGUAGES, PLANTED, 1, SEED)
    for _, panel in rows.groupby("panel"):
        assert panel.set_index("model")["expected"].isna().to_dict() == {"weak": True, "strong": False}


def test_what_was_learned_is_of_the_mean_over_templates():
    """In none of them as much as planted."""
    truth = planted.log_p_prime(LISTS, 2.0, SEED).to_numpy()
    rows = associations(LISTS, [0.0 * truth, 0.5 * truth, 2.5 * truth])
    tested = numbers.cube(rows, LISTS, additional_attributes=True, additional_targets=True)
    order = (LISTS.attributes["key"], LISTS.targets["key"])
    by_key = planted.log_p_prime(LISTS, 2.0, SEED).set_axis(order[0]).set_axis(order[1], axis=1)
    in_order = by_key.loc[tested.lists.attributes["key"], tested.lists.targets["key"]].to_numpy()
    assert calibration.slope(tested, in_order) == pytest.approx(1)
