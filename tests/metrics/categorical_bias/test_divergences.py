"""Divergences between languages: by hand, against SciPy, matched by meaning."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import jensenshannon

from herbarium.metrics.categorical_bias import divergences as divergences_of
from herbarium.metrics.categorical_bias.stimuli import Lists

LANGUAGES = {
    "english": {"lists": {"ours": "a", "theirs": "b"}, "models": ["en", "multi"]},
    "chinese": {"lists": {"ours": "c"}, "models": ["zh", "multi"]},
}
TEMPLATES = {"english": ["are", "came", "is"], "chinese": ["is was", "came are"]}
ATTRIBUTES = {"english": ["chef", "bus driver", "nurse"], "chinese": ["bus driver", "poet", "chef"]}
TARGETS = {"english": ["Peru", "Chad", "Laos", "Mali"], "chinese": ["Mali", "Laos", "Fiji", "Peru"]}


def lists(language, templates=TEMPLATES):
    return Lists(
        pd.DataFrame({"key": templates[language], "text": "[target] [singular]"}),
        pd.DataFrame({"key": [*TARGETS[language], "Oman"], "set": ["base"] * 4 + ["additional"]}),
        pd.DataFrame({"key": [*ATTRIBUTES[language], "thief"], "set": ["base"] * 3 + ["additional"]}),
    )


def associations(language, seed):
    random, word_lists = np.random.default_rng(seed), lists(language)
    rows = [
        {"list": name, "definition": definition, "template": t, "attribute": a, "target": n}
        for name in LANGUAGES[language]["lists"]
        for definition in ("paper", "released")
        for t, a, n in itertools.product(
            *(table["key"] for table in (word_lists.templates, word_lists.attributes, word_lists.targets))
        )
    ]
    table = pd.DataFrame(rows)
    return table.assign(log_p=random.normal(size=len(table)) * 2, log_prior=-1.0, n_tokens=1, beside=0)


@pytest.fixture
def given():
    pairs = [(model, language) for language, item in LANGUAGES.items() for model in item["models"]]
    return {pair: associations(pair[1], seed) for seed, pair in enumerate(pairs)}


def measure(given, templates=TEMPLATES, changed=()):
    of_languages = {language: lists(language, templates) for language in LANGUAGES}
    return divergences_of.measure(as_one(given), of_languages, LANGUAGES, changed, 0.9)


def as_one(given):
    """The table "associations" of all models and languages."""
    tables = (table.assign(model=model, language=language) for (model, language), table in given.items())
    return pd.concat(tables, ignore_index=True)


def at(table, definition, template, attribute, targets):
    rows = table[(table["list"] == "ours") & (table["definition"] == definition)]
    rows = rows[(rows["template"] == template) & (rows["attribute"] == attribute)].set_index("target")
    return np.exp(rows.loc[targets, "log_p"].to_numpy())


@pytest.mark.parametrize("definition", ["paper", "released"])
@pytest.mark.parametrize(("model", "sides"), [("multi", ("multi", "multi")), ("en − zh", ("en", "zh"))])
def test_against_a_literal_transcription(given, definition, model, sides):
    one, other = given[sides[0], "english"], given[sides[1], "chinese"]
    divergences = []
    for meaning, chinese in (("are", "came are"), ("came", "came are"), ("is", "is was")):
        for attribute in ("bus driver", "chef"):
            targets = ["Laos", "Mali", "Peru"]
            p = at(one, definition, meaning, attribute, targets)
            q = at(other, definition, chinese, attribute, targets)
            divergences.append(jensenshannon(p, q) ** 2)  # SciPy makes them sum to 1, and gives the root
    rows = measure(given).set_index(["model", "definition", "variant"])
    assert rows.loc[(model, definition, "jsd"), "estimate"] == pytest.approx(np.mean(divergences), rel=1e-12)
    assert rows.loc[(model, definition, "sqrt_jsd"), "estimate"] == pytest.approx(math.sqrt(np.mean(divergences)))
    assert (rows["n"] == 3).all()
    assert set(rows["group"]) == {"english − chinese"}


def test_every_model_and_the_languages_own(given):
    rows = measure(given)
    assert rows["model"].unique().tolist() == ["multi", "en − zh"]
    assert len(rows) == 2 * 2 * 2
    assert (rows["metric"] == "categorical_bias_divergences").all()
    assert (rows["unit"] == "languages").all()


def test_a_language_before_and_after_a_change(given):
    rows = measure(given, changed=[("multi", "en"), ("multi", "absent")])
    rows = rows[rows["model"] == "multi − en"].set_index(["definition", "variant"])
    assert set(rows["group"]) == {"english"}
    one, other = (given[model, "english"] for model in ("multi", "en"))
    values = [
        jensenshannon(*(at(side, "paper", template, attribute, TARGETS["english"]) for side in (one, other)))
        for template, attribute in itertools.product(TEMPLATES["english"], ATTRIBUTES["english"])
    ]
    assert rows.loc[("paper", "jsd"), "estimate"] == pytest.approx(np.square(values).mean())


def test_templates_of_several_meanings():
    pairs = divergences_of.matched(["are", "came", "is"], ["is was", "came are"])
    assert pairs.to_dict("list") == {"meaning": ["are", "came", "is"], "one": [0, 1, 2], "other": [1, 1, 0]}
    assert divergences_of.matched(["are"], ["is"]).empty
    twice = divergences_of.matched(["are came", "are"], ["are"])  # both are compared
    assert twice.to_dict("list") == {"meaning": ["are", "are"], "one": [0, 1], "other": [0, 0]}


def test_a_meaning_that_two_templates_have_counts_once(given):
    # "is" said in two ways of the same values: nothing changes
    before = measure(given)
    for key in [key for key in given if key[1] == "chinese"]:
        copies = given[key][given[key]["template"] == "is was"].assign(template="is")
        given[key] = pd.concat([given[key], copies], ignore_index=True)
    after = measure(given, templates={**TEMPLATES, "chinese": ["is was", "came are", "is"]})
    np.testing.assert_allclose(after["estimate"].astype(float), before["estimate"].astype(float))
    np.testing.assert_allclose(after["ci_high"], before["ci_high"])


def test_refused_words_are_left_out_on_both_sides(given):
    refused = given["multi", "chinese"]
    refused.loc[refused["target"] == "Laos", "log_p"] = np.nan
    rows = measure(given).set_index(["model", "definition", "variant"])
    row = rows.loc[("multi", "paper", "jsd")]
    assert row["n"] == 2
    assert row["note"].startswith("without Laos of chinese: sentences were refused")
    values = [
        jensenshannon(
            at(given["multi", "english"], "paper", meaning, attribute, ["Mali", "Peru"]),
            at(refused, "paper", chinese, attribute, ["Mali", "Peru"]),
        )
        ** 2
        for meaning, chinese in (("are", "came are"), ("came", "came are"), ("is", "is was"))
        for attribute in ("bus driver", "chef")
    ]
    assert row["estimate"] == pytest.approx(np.mean(values))
    assert rows.loc[("en − zh", "paper", "jsd"), "n"] == 3


def test_languages_that_share_nothing_are_null_with_a_note(given):
    refused = given["multi", "chinese"]
    refused.loc[refused["target"].isin(["Laos", "Peru"]), "log_p"] = np.nan
    rows = measure(given).set_index(["model", "definition", "variant"])
    row = rows.loc[("multi", "paper", "sqrt_jsd")]
    assert row[["estimate", "std_error", "ci_low"]].isna().all()
    assert "no two targets in common" in row["note"]


def test_bounds():
    same, meanings = np.random.default_rng(1).normal(size=(2, 3, 4)), np.array([0, 1])
    np.testing.assert_allclose(divergences_of.divergences(same, same + 7.0, meanings), 0, atol=1e-15)  # of any scale
    apart = np.full((2, 3, 4), -900.0)
    one, other = apart.copy(), apart.copy()
    one[..., 0] = other[..., 1] = 0
    np.testing.assert_allclose(divergences_of.divergences(one, other, meanings), math.log(2))


def test_the_interval_is_over_meanings_and_attributes_and_that_of_the_root_is_its_root(given):
    rows = measure(given).set_index(["model", "definition", "variant"])
    jsd, root = (rows.loc[("multi", "paper", variant)] for variant in ("jsd", "sqrt_jsd"))
    assert jsd["ci_low"] < jsd["estimate"] < jsd["ci_high"]
    for column in ("estimate", "ci_low", "ci_high"):
        assert root[column] == pytest.approx(math.sqrt(jsd[column]))
    assert root["std_error"] == pytest.approx(jsd["std_error"] / (2 * root["estimate"]))
    for key in [key for key in given if key[1] == "chinese"]:  # where all sentences agree there is nothing to vary
        given[key] = given[key].assign(log_p=given[key]["target"].map({"Laos": -1.0, "Mali": -2.0}).fillna(-3.0))
        given["multi", "english"] = given["multi", "english"].assign(log_p=-1.0)
    row = measure(given).set_index(["model", "definition", "variant"]).loc[("multi", "paper", "jsd")]
    assert row["ci_low"] == pytest.approx(row["ci_high"])


def test_one_language_has_no_divergence(given):
    only = {"english": LANGUAGES["english"]}
    english = {key: table for key, table in given.items() if key[1] == "english"}
    assert divergences_of.measure(as_one(english), {"english": lists("english")}, only, [], 0.9).empty


def test_models_of_different_kinds_are_not_compared(given):
    of_causal = given["zh", "chinese"]
    given["zh", "chinese"] = of_causal[of_causal["definition"] == "paper"].assign(definition="whole")
    assert set(measure(given)["model"]) == {"multi"}
