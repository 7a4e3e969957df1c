import numpy as np
import pandas as pd
import pytest
from tests.metrics.regions_in_context.toy import LAYERS, SETTINGS, design, measured, vectors

from herbarium.metrics.regions_in_context import calibration, numbers, score
from herbarium.metrics.regions_in_context.names import (
    ACCURACY,
    AGREEMENT,
    COMMON,
    CONTROL,
    REGION,
    SELECTIVITY,
    SENTENCES,
    WORDS,
)


def one(tidy_rows, variant, definition=REGION, layer="1"):
    return tidy_rows.set_index(["variant", "definition", "group"]).loc[(variant, definition, layer)]


@pytest.fixture(scope="module")
def tidy_rows():
    return measured()


def test_what_was_put_in_is_found(tidy_rows):
    agreement = one(tidy_rows, AGREEMENT)
    assert agreement["estimate"] > 0.8
    assert agreement["ci_low"] > 0.5
    assert agreement["p_adjusted"] < 0.01
    assert one(tidy_rows, COMMON)["estimate"] > 0.6
    assert one(tidy_rows, COMMON)["p_adjusted"] < 0.01
    assert one(tidy_rows, ACCURACY, WORDS)["ci_low"] > 1 / 6
    accuracy, control, selectivity = (one(tidy_rows, name, SENTENCES) for name in (ACCURACY, CONTROL, SELECTIVITY))
    assert selectivity["estimate"] == pytest.approx(accuracy["estimate"] - control["estimate"])
    # accuracies are not tested; what those of held-out sentences would be by chance is lower, and not known
    assert tidy_rows.loc[tidy_rows["variant"].isin([ACCURACY, CONTROL, SELECTIVITY]), "p_value"].isna().all()
    assert one(tidy_rows, ACCURACY, WORDS)["note"] == "6 regions; by chance 0.167"
    assert pd.isna(accuracy["note"])


def test_without_a_lean_regions_are_told_as_well_but_nothing_agrees(tidy_rows):
    without = measured(lean=0.0)
    assert one(without, ACCURACY, WORDS)["estimate"] >= one(tidy_rows, ACCURACY, WORDS)["estimate"] - 0.1
    assert one(without, AGREEMENT)["ci_low"] < 0 < one(without, AGREEMENT)["ci_high"]
    assert one(without, AGREEMENT)["p_adjusted"] > 0.05


def test_a_layer_without_context_has_no_number(tidy_rows):
    rows = tidy_rows[tidy_rows["group"] == "0"]
    assert rows["estimate"].isna().all()
    assert set(rows["note"]) == {"regions have equal vectors"}


def test_without_stereotypes_there_is_no_agreement_and_all_else(tidy_rows):
    without = measured(stereotypes=False)
    assert np.isnan(one(without, AGREEMENT)["estimate"])
    assert one(without, AGREEMENT)["note"] == "no stereotypes are given for these regions"
    assert one(without, COMMON)["estimate"] == one(tidy_rows, COMMON)["estimate"]


@pytest.mark.parametrize("same_of", ["region", "topic and region"])
def test_what_regions_or_topics_have_in_common_is_no_stereotype(same_of):
    sentences = design()
    by = sentences["description"] if same_of == "region" else [sentences["topic"], sentences["region"]]
    sentences["stereotype"] = sentences["stereotype"].groupby(by).transform("mean")
    row = one(measured(sentences=sentences, lean=0.1), AGREEMENT)
    assert row["note"] == "stereotypes do not differ within topics and continents"
    assert np.isnan(row["estimate"])


@pytest.mark.parametrize(
    ("continents", "note", "is_tested"),
    [
        ("aaaaaa", None, True),
        ("aaabbb", None, True),
        ("abcdef", "no two regions have a continent in common, so that all are compared", True),
        ("aaaabc", "2 of 6 regions are alone in their continent and left out", True),
        ("aabbcc", "no test: 8 arrangements within topics and continents; 20 are needed", False),
    ],
)
def test_what_is_compared_is_said(continents, note, is_tested):
    sentences = design()
    sentences["continent"] = [continents[int(region[-1])] for region in sentences["region"]]
    row = one(measured(sentences=sentences), AGREEMENT)
    assert row["note"] == note if note else pd.isna(row["note"])
    assert np.isfinite(row["estimate"])
    assert np.isfinite(row["p_adjusted"]) == is_tested


@pytest.mark.parametrize(("n_words", "n_regions"), [(5, 6), (12, 4)])
def test_too_few_are_refused_with_the_numbers(n_words, n_regions):
    rows = measured(sentences=design(n_words, n_regions))
    assert rows["estimate"].isna().all()
    assert set(rows["note"]) == {f"{n_words} descriptions and {n_regions} regions; at least 6 and 5 are needed"}


def test_what_has_no_vector_is_left_out_and_counted():
    sentences, values = design(), vectors(design())
    values.values[sentences["region"] == "country:2"] = np.nan
    values.values[sentences.query("description == 'w3' and region == 'country:1' and template == 'two'").index] = np.nan
    crossed = numbers.crossed(sentences, values)
    assert crossed.note == "1 of 6 regions have no vector; 1 of 12 descriptions have no vector"
    assert crossed.x.shape[:3] == (2, 11, 5)
    rest = sentences.query("region != 'country:2' and description != 'w3' and template == 'one'")
    np.testing.assert_array_equal(crossed.stereotypes.ravel(), rest["stereotype"])
    np.testing.assert_array_equal(crossed.x[0].reshape(-1, 2, 8), values.values[rest.index])
    rows = numbers.measure("strong", "few", crossed, LAYERS, SETTINGS)
    assert rows["note"].str.contains("1 of 6 regions have no vector").all()
    assert one(rows, COMMON)["n"] == 11


def test_calibration_is_of_the_last_layer(tidy_rows):
    rows = calibration.rows(pd.concat([tidy_rows, measured("real")]), {"strong": 2.0})
    assert rows[["series", "planted"]].to_numpy().tolist() == [["few", 2.0]]
    assert rows["estimate"].item() == one(tidy_rows, AGREEMENT)["estimate"]
    assert rows["expected"].isna().all()


def test_the_interval_of_an_agreement_and_its_leans_are_of_all_templates(tidy_rows):
    crossed = numbers.crossed(design(), vectors(design()))
    strata = crossed.topics == "topic1", np.zeros(6, int)
    leans = score.leans(crossed.x[..., 1, :].astype(float).mean(axis=0))
    mean, row = score.agreement(leans, crossed.stereotypes, *map(np.int64, strata)), one(tidy_rows, AGREEMENT)
    assert row["estimate"] == pytest.approx(mean.estimate)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(score.agreement_interval(mean, 0.95))


def test_calibration_has_every_planted_source_of_a_set():
    sources = {"weak": 0.5, "strong": 2.0, "real": 2.0}
    tidy = pd.concat(measured(source, lean=lean) for source, lean in sources.items())
    rows = calibration.rows(tidy, {"weak": 1.0, "strong": 4.0})
    assert rows[["model", "planted"]].to_numpy().tolist() == [["weak", 1.0], ["strong", 4.0]]
    found = tidy[(tidy["variant"] == AGREEMENT) & (tidy["group"] == "1")].set_index("model")["estimate"]
    assert rows["estimate"].tolist() == [found["weak"], found["strong"]]
