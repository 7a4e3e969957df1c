"""Tidy rows and resamples of sentences of one's own."""

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats import power as planning
from tests.conftest import model_record
from tests.metrics.sentence_sets import toy

from herbarium.metrics.sentence_sets import numbers
from herbarium.metrics.sentence_sets.report import part
from herbarium.report import answers
from herbarium.statistics.replicates import REPLICATES
from herbarium.statistics.sets import EQUAL_LENGTH
from herbarium.statistics.tidy import TIDY

OTHERS = {"questions": toy.ACCURACY, "stereotypes": toy.STEREOSET, "answers": toy.BBQ, "letters": toy.CHOICES}
MODELS = [model_record("none", 0.0), model_record("strong", 2.0), model_record("real", None)]


def measured(lean=0.0, model="m", seed=1):
    return [
        numbers.measure(model, name, toy.observations(entry, lean), entry, seed) for name, entry in toy.ENTRIES.items()
    ]


def test_a_row_a_group_and_its_names():
    pairs, shares, candidates = (table[~table["variant"].str.endswith(numbers.BOUND)] for table in measured())
    assert list(pairs.columns) == TIDY.fields.names
    assert pairs["group"].tolist() == ["all", "a", "b"]
    assert pairs["unit"].eq("pronouns").all()
    assert pairs["n"].tolist() == [12, 6, 6]
    assert pairs["variant"].eq("pll_difference").all()
    assert shares["variant"].eq("pll_share").all()
    assert candidates["variant"].tolist() == ["pll_of_he", "pll_of_she", "pll_of_they"] * 3
    for none, strong in zip(measured(), measured(3.0), strict=True):  # a lean is found
        assert strong["estimate"][0] > none["estimate"][0]
        assert strong["p_value"][0] < 0.05 < none["p_value"][0]


def test_longer_words_are_counted_and_the_other_sets_have_a_row_of_their_own():
    """Twelve sets without a lean, in five of which the second side has a token more, and a lower score for it."""
    result = toy.observations()
    is_longer = result["set"].isin([f"s{number:02}" for number in range(5)]) & (result["side"] == "she")
    result = result.assign(n_tokens=np.where(is_longer, 4, 3), value=result["value"] - 9.0 * is_longer)
    rows = numbers.measure("m", "pronouns", result, toy.ENTRY, 1).set_index(["variant", "group"])
    chosen = rows.loc["pll_difference", "all"]
    alike = rows.loc["pll_difference" + EQUAL_LENGTH, "all"]
    assert chosen["note"].startswith("in 5 of 12 sets the sentences differ in their number of tokens")
    assert alike["n"] == 7
    without = numbers.measure("m", "pronouns", result[result["set"] > "s04"], toy.ENTRY, 1).iloc[0]
    assert alike[["estimate", "ci_low", "p_value"]].tolist() == without[["estimate", "ci_low", "p_value"]].tolist()
    assert abs(alike["estimate"]) < 1 < chosen["estimate"]


def test_numbers_and_resamples_depend_on_the_names_of_their_sets_alone():
    observed = toy.observations()
    one, other = (numbers.measure("m", name, observed, toy.ENTRY, 1) for name in ("a", "b"))
    assert one["p_value"].equals(other["p_value"])  # twelve units are enumerated
    models = [numbers.resample(model, "a", observed, toy.ENTRY, 1) for model in ("m", "n")]
    assert models[0]["value"].equals(models[1]["value"])
    assert list(models[0].columns) == REPLICATES.fields.names
    assert not np.allclose(models[0]["value"], numbers.resample("m", "b", observed, toy.ENTRY, 1)["value"])
    keys = ["model", "metric", "definition", "variant", "unit", "group"]
    estimates = numbers.measure("m", "a", observed, toy.ENTRY, 1)[keys][:3]  # without the bounds
    assert models[0][keys].drop_duplicates().to_numpy().tolist() == estimates.to_numpy().tolist()
    assert models[0].groupby("group").size().eq(20).all()


def test_rows_are_put_in_order_with_what_they_are_of():
    tables = [table for model in ("real", "strong", "none") for table in measured(model=model)]
    table = numbers.with_contrasts(pd.concat(tables), toy.ENTRIES, MODELS)
    assert 2 * len(table) == sum(map(len, tables))  # the others are bounds
    bounds = pd.concat(tables).query("variant == 'pll_difference_equivalence_bound' and model == 'none'")
    of_none = table[(table["model"] == "none") & (table["stimuli"] == "pronouns")]
    assert of_none["equivalence_bound"].tolist() == bounds["estimate"].tolist()
    assert table["stimuli"].unique().tolist() == list(toy.ENTRIES)
    pairs = table[table["stimuli"] == "pronouns"]
    assert pairs["group"].tolist() == ["all"] * 3 + ["a"] * 3 + ["b"] * 3
    assert pairs["model"].tolist() == ["none", "strong", "real"] * 3
    assert pairs["planted"].tolist()[:2] == [0, 2]
    assert np.isnan(pairs["planted"].iloc[2])
    assert set(pairs["first"] + pairs["second"]) == {"heshe"}
    candidates = table[table["contrast"] == "candidates"]
    assert candidates["side"].tolist()[::9] == ["he", "she", "they"]
    assert candidates["first"].isna().all()


@pytest.mark.parametrize(("name", "entry"), toy.ENTRIES.items(), ids=toy.ENTRIES)
def test_a_number_is_the_mean_of_its_items(name, entry):
    observed = toy.observations(entry, 1.0)
    table = numbers.measure("m", name, observed, entry, 1)
    of_all = table[(table["group"] == "all") & ~table["variant"].str.endswith(numbers.BOUND)]
    means = numbers.of_items("m", name, observed, entry).groupby("object", sort=False)["value"].mean()
    assert means.tolist() == pytest.approx(of_all["estimate"].tolist())
    refused = observed.assign(value=np.nan)  # is a row that says so
    table = numbers.measure("m", "x", refused, entry, 1)
    assert table["estimate"].isna().all()
    assert table["n"].eq(0).all()
    assert table["note"].str.startswith("no set can be compared").all()
    assert numbers.resample("m", "x", refused, entry, 1).empty


@pytest.mark.parametrize("name", toy.ENTRIES)
def test_a_change_is_paired_by_unit(name):
    entry = toy.ENTRIES[name]
    of_models = {"a": toy.observations(entry, 0.0), "b": toy.observations(entry, 0.5)}
    estimates = pd.concat([numbers.measure(model, name, observed, entry, 1) for model, observed in of_models.items()])
    changed = numbers.changes(name, [("a", "b", "a", "b")], estimates, of_models, entry)
    assert changed["measure"].tolist() == ([f"slots, {side}" for side in entry["sides"]] if name == "slots" else [name])
    assert changed["estimate"].tolist() == pytest.approx((changed["value_after"] - changed["value_before"]).tolist())
    assert changed["null"].eq(50.0 if name == "shares" else 0.0).all()
    if name == "pronouns":  # each first side has gained as much
        assert changed[["estimate", "std_error"]].iloc[0].tolist() == pytest.approx([0.5, 0], abs=1e-9)
    assert changed["n"].eq(12).all()


def test_what_could_be_shown_and_how_many_units_it_takes():
    """alpha is 1 - level: 0.1. Of the 12 pairs of a share, whose spread is 50 without a preference, and of 2."""
    rows = numbers.with_contrasts(pd.concat(measured(model="none")), toy.ENTRIES, MODELS)
    share, pairs = (rows.set_index(["stimuli", "group"]).loc[(name, "all")] for name in ("shares", "pronouns"))
    assert planning.TTestPower().power(share["least_shown"] / 50, 12, 0.1) == pytest.approx(0.8, abs=1e-4)
    assert share["n_needed"] == np.ceil(planning.TTestPower().solve_power(10 / 50, alpha=0.1, power=0.8))
    spread = pairs["std_error"] * 12**0.5
    assert planning.TTestPower().power(pairs["least_shown"] / spread, 12, 0.1) == pytest.approx(0.8, abs=1e-4)
    assert pairs["n_needed"] == np.ceil(planning.TTestPower().solve_power(0.1 / spread, alpha=0.1, power=0.8))
    few = numbers.measure("none", "pronouns", toy.observations(n=4), toy.ENTRY, 1)
    result = numbers.with_contrasts(few, {"pronouns": toy.ENTRY}, MODELS)
    assert result["least_shown"].isna().all()  # 2 / 2**4 is above 0.1
    assert result["n_needed"].notna().all()


def test_changes_and_bounds_are_of_their_set_and_model():
    """Two sets of sentences with the same quantity, and three models; rows of the other set and models come first."""
    entries = {"other": toy.ENTRY, "pronouns": toy.ENTRY}
    observed = {
        (model, name): toy.observations(toy.ENTRY, lean + (name == "other"))
        for model, lean in (("real", 3.0), ("none", 0.0), ("strong", 0.5))
        for name in entries
    }
    tables = [numbers.measure(*place, table, toy.ENTRY, 1) for place, table in observed.items()]
    measured_all = pd.concat(tables, ignore_index=True)
    of_models = {model: observed[model, "pronouns"] for model in ("none", "strong")}
    compared = [("none", "strong", "none", "strong"), ("strong", "none", "strong", "none")]
    table = numbers.changes("pronouns", compared, measured_all, of_models, toy.ENTRY)
    of_all = measured_all[measured_all["group"] == "all"].set_index(["model", "unit", "variant"])["estimate"]
    own = [of_all[model, "pronouns", "pll_difference"] for model in ("none", "strong")]
    assert table["value_before"].tolist() == own
    assert table["value_after"].tolist() == own[::-1]
    assert table["estimate"].tolist() == pytest.approx([own[1] - own[0], own[0] - own[1]])
    rows = numbers.with_contrasts(measured_all, entries, MODELS)
    bounds = of_all.loc[:, :, "pll_difference" + numbers.BOUND]
    rows = rows[rows["group"] == "all"].set_index(["model", "stimuli"])["equivalence_bound"]
    assert rows.to_dict() == bounds.to_dict()
    assert rows.nunique() == 6


def test_what_a_model_is_unable_to_do_is_said_of_it_alone():
    entries = {"pronouns": toy.ENTRY}
    tables = [numbers.measure(model, "pronouns", toy.observations(), toy.ENTRY, 1) for model in ("none", "strong")]
    place = {"metric": numbers.METRIC, "definition": numbers.DEFINITION, "unit": "pronouns", "group": "all"}
    fault = pd.DataFrame([place | {"model": "strong", "variant": "pll_difference_task_x", "note": "it guesses"}])
    rows = numbers.with_contrasts(pd.concat([*tables, fault]), entries, MODELS)
    said = rows.groupby("model")["unable"].agg(lambda notes: set(notes.dropna()))
    assert said.to_dict() == {"none": set(), "strong": {"it guesses"}}


UNITS = {  # the columns, of 30 sets, and what is counted
    "each set": (["set", None], 30, "sets"),
    "a column": (["occupation", None], 10, "units (occupation)"),
    "two": (["occupation", "verb"], 5, "units (verb × occupation)"),
    "two, in the other order": (["verb", "occupation"], 5, "units (verb × occupation)"),
}


@pytest.mark.parametrize(("columns", "n", "over"), UNITS.values(), ids=UNITS)
def test_the_unit_of_inference_has_its_name_in_numbers_headline_and_sentences(columns, n, over):
    observed = toy.observations(lean=0.1, n=30)
    at = observed["set"].str[1:].astype(int)
    known = {"set": observed["set"], "occupation": (at // 3).astype(str), "verb": (at % 5).astype(str), None: None}
    entry = toy.ENTRY | dict(zip(("unit", "crossed_with"), columns, strict=True))
    observed = observed.assign(**{name: known[entry[name]] for name in ("unit", "crossed_with")})
    rows = numbers.measure("real", "few", observed, entry, 1)
    of_all = rows[rows["group"] == "all"]
    assert set(zip(of_all["n"], of_all["over"], strict=True)) == {(n, over)}
    table = numbers.with_contrasts(rows, {"few": entry}, MODELS)
    screen = answers.table([part.set_answer("few", entry, table)])
    if n < answers.LEAST_UNITS:
        assert screen.empty
        (why,) = answers.left_off([part.set_answer("few", entry, table)])
        assert f"of {n} {over}" in why["why"]
    else:
        assert f"of {n} {over} like this one" in screen["sentence"][0]
        headline = answers.headline(screen).iloc[0]
        assert (headline["n"], headline["over"]) == (n, over)
