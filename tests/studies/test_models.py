"""What is said of models of known bias, on numbers made up to be recovered."""

import numpy as np
import pandas as pd
import pytest
import yaml
from studies.validity import models
from tests.workflow.conftest import Project, copy_project


def made_up(entries):
    """Two measures: "lean" is the region's strength and a third of that of gender, "odds" that of gender alone."""
    random = np.random.default_rng(0)
    rows = []
    for name, entry in entries.items():
        planted = {
            t: entry["planted"] * (metric in entry.get("planted_in", models.TRAITS.values()))
            for t, metric in models.TRAITS.items()
        }
        for measure, value in (("lean", planted["region"] + planted["gender"] / 3), ("odds", planted["gender"])):
            for place in range(4):
                value_here = value * (1 + place) + 0.1 * random.normal()
                rows += [(name, measure, measure, f"r{place}", word, "", value_here + word / 9) for word in range(3)]
    return pd.DataFrame(rows, columns=["model", "metric", "measure", "object", "word", "form", "value"])


@pytest.fixture(scope="module")
def entries():
    return models.models(5)


def test_each_choice_of_traits_has_as_many_models(entries):
    assert len(entries) == 20 + 4 * 5 + 6 * 5
    some = [tuple(entry["planted_in"]) for entry in entries.values() if "planted_in" in entry]
    assert {some.count(traits) for traits in some} == {5}
    assert len({entry["training_seed"] for entry in entries.values()}) == 30


def test_correlations_show_what_a_measure_is_about(entries):
    table = pd.DataFrame(models.rows(made_up(entries), calibration(entries), entries))
    correlations = table[table["statistic"] == "correlation with trait"].set_index(["measure", "of"])
    assert set(correlations["n"]) == {40}
    assert correlations.loc[("odds/odds", "gender"), "value"] > 0.99
    assert correlations.loc[("lean/lean", "region"), "value"] == pytest.approx(
        3 / np.sqrt(10), abs=0.01
    )  # weights 1 and 1/3
    assert correlations.loc[("lean/lean", "gender"), "value"] == pytest.approx(1 / np.sqrt(10), abs=0.01)
    assert abs(correlations.loc[("odds/odds", "origin"), "value"]) < 0.01
    assert (correlations["low"] <= correlations["value"]).all()
    assert (correlations["value"] <= correlations["high"]).all()


def test_another_training_gives_the_same_order_where_noise_is_small(entries):
    table = pd.DataFrame(models.rows(made_up(entries), calibration(entries), entries))
    retests = table[table["statistic"] == "retest"]
    assert (retests["value"] > 0.9).all()
    assert set(retests["n"]) == {4}


def test_an_intraclass_correlation_by_hand():
    """Shrout and Fleiss (1979), Table 2: six targets, four judges, ICC(1,1) = .17."""
    ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    assert models.intraclass(ratings) == pytest.approx(0.17, abs=0.005)
    assert np.isnan(models.intraclass([[1], [2]]))


def calibration(entries):
    """One series; every other unbiased model has an interval that does not hold 0."""
    rows = [
        {
            "panel": "lean",
            "series": "root",
            "model": name,
            "planted": entry["planted"],
            "null": 0.0,
            "expected": entry["planted"] / 2,
        }
        | {"estimate": entry["planted"] / 3, "ci_low": 0.01 * (entry["training_seed"] % 2), "ci_high": 1.0}
        for name, entry in entries.items()
    ]
    return pd.DataFrame(rows)


def test_intervals_of_unbiased_models_are_counted(entries):
    table = pd.DataFrame(models.zeros(calibration(entries), entries)).set_index(["statistic", "of"])
    apart = table.loc["intervals apart from the null value"]
    assert (apart.loc["0", "value"], apart.loc["0", "n"]) == (10, 20)
    assert set(apart["n"]) == {20, 5}
    assert table.loc[("rank correlation with the strength", ""), "value"] == 1
    assert table.loc[("mean by strength", "1.5"), "value"] == 0.5
    assert table.loc[("expected by strength", "1.5"), "value"] == 0.75


@pytest.mark.nightly  # half a minute
def test_the_study_is_planned_and_its_pairs_are_of_its_texts(tmp_path, monkeypatch, capfd):
    made = copy_project(tmp_path / "study")
    demo = yaml.safe_load((made.folder / "config/demo.yaml").read_text(encoding="utf-8"))
    demo["regions"] = {"continents": ["SA", "OC"], "cities": {"countries": "none"}}
    made.write("small.yaml", yaml.safe_dump(demo))
    monkeypatch.chdir(made.folder)
    study = models.with_pairs(models.study(1, "small.yaml"), 2)
    pairs = pd.read_csv(study["crows_pairs"]["table"])
    assert set(pairs["bias_type"]) == set(models.TRAITS)
    assert (pairs["sent_more"] != pairs["sent_less"]).all()
    assert pairs.groupby("bias_type").size().min() > 50
    models.run(study, 2, models.MEASURED, "-n")
    planned = Project.stats(capfd.readouterr().out)
    assert planned["train_testbed"] == planned["measure_crows_pairs"] == len(study["models"]) == 20 + 4 + 6
