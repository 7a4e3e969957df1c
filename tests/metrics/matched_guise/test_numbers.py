"""The rows of the summary, what is planted and what changes."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.matched_guise import toy

from herbarium.metrics.matched_guise import calibration, numbers, planted, score, stimuli
from herbarium.metrics.matched_guise.numbers import ASSOCIATION, MEAN, SLOPE
from herbarium.metrics.matched_guise.stimuli import instantiate
from herbarium.statistics.changes import CHANGES


def by_variant(rows, group="all"):
    return rows[rows["group"] == group].set_index("variant")


def test_a_known_slope_is_found():
    rows = toy.measured(toy.observed(-0.5))
    spread = np.std(list(toy.RATINGS.values()))
    slope = by_variant(rows).loc[SLOPE]
    assert slope["estimate"] == pytest.approx(-0.5 * spread, abs=0.05)
    assert slope["ci_low"] < -0.5 * spread < slope["ci_high"]
    assert slope["p_value"] < 0.001
    assert slope["n"] == 6
    associations = rows[rows["variant"] == ASSOCIATION].set_index("group")
    assert list(associations.index) == toy.LISTS.attributes
    assert associations.loc["rude", "estimate"] == pytest.approx(1, abs=0.1)
    assert associations.loc["rude", "p_value"] == pytest.approx(2 / 2**6)  # the least of six units
    assert associations.loc["rude", "p_adjusted"] == pytest.approx(min(7 * 2 / 2**6, 1))
    assert by_variant(rows).loc["top_rating", "estimate"] < -1
    observations = toy.observed(-0.5, pairs_per_unit=3)  # which count once
    table, _, left_out = numbers.differences(observations)
    assert (table.shape, left_out) == ((2, 7), None)
    of_unit = observations[(observations["unit"] == 1) & (observations["attribute"] == "odd")]
    assert table.loc[1, "odd"] == pytest.approx(of_unit["difference"].mean())
    slope = by_variant(toy.measured(observations)).loc[SLOPE]
    assert pd.isna(slope["p_value"])
    assert "6 units" in slope["note"]


def test_unrated_attributes_count_for_the_mean_alone():
    rows, without = (toy.measured(toy.observed(0.0, toy.LISTS._replace(ratings=given))) for given in (toy.RATINGS, {}))
    assert set(without["variant"]) == {ASSOCIATION, MEAN}
    assert by_variant(without).loc[MEAN, "estimate"] == by_variant(rows).loc[MEAN, "estimate"]
    table, ratings, _ = numbers.differences(toy.observed(0.0))
    assert numbers.crossed(table, ratings, SLOPE)[0] == score.slope(
        table[list(toy.RATINGS)].to_numpy(), np.array(list(toy.RATINGS.values()))
    )


def test_what_was_refused_is_left_out_and_counted():
    observations = toy.observed()
    attribute, pair = observations["attribute"], observations["pair"]
    is_lost = (attribute == "odd") | ((attribute == "kind") & (pair == 2))
    observations["difference"] = observations["difference"].mask(is_lost)
    rows = toy.measured(observations)
    assert set(rows["n"]) == {5}
    assert "odd" not in set(rows["group"])
    assert rows["note"].str.contains("1 pairs and 1 attributes").all()
    nothing = toy.measured(observations.assign(difference=np.nan))
    assert nothing["estimate"].isna().all()
    assert nothing["note"].notna().all()


def test_a_change_is_paired_by_unit_and_attribute():
    of_models = {"before": toy.observed(-0.5), "after": toy.observed(-0.2, seed=1)}
    (row,) = numbers.changes(toy.NAME, [["before", "after", "before", "after"]], of_models, 0.95).to_dict("records")
    before, after = (by_variant(toy.measured(of_models[name])).loc[SLOPE, "estimate"] for name in of_models)
    assert (row["value_before"], row["value_after"]) == pytest.approx((before, after))
    assert row["estimate"] == pytest.approx(after - before)
    assert row["measure"] == "few: slope"
    assert set(row) == set(CHANGES.fields.names)


def test_a_planted_text_has_the_associations_that_it_should():
    """Counts of the text, as of a model that has learned all of it."""
    text = pd.Series(list(planted.drawn(toy.LISTS, 2.0, 0))).value_counts()
    sentences = stimuli.instantiate(toy.LISTS, 1)
    assert text.sum() == len(sentences) * planted.SENTENCES_PER_ATTRIBUTE
    by_guise = sentences.assign(count=sentences["text"].map(text).fillna(0)).groupby(["guise", "attribute"])["count"]
    shares = by_guise.sum().unstack("guise")
    odds = np.log(shares["dialect"] / shares["standard"])
    z = pd.Series(score.standardised(np.array(list(toy.RATINGS.values()))), list(toy.RATINGS))
    assert (odds[z.index] * z).mean() == pytest.approx(-2, rel=0.05)
    assert odds["tall"] == pytest.approx(odds[["odd"]].iloc[0], abs=0.5)  # an average rating
    assert planted.expected(toy.LISTS, 2.0) == pytest.approx(-2)
    even = pd.Series(list(planted.drawn(toy.LISTS, 0.0, 0))).value_counts()
    assert set(even) == {planted.SENTENCES_PER_ATTRIBUTE}
    assert planted.expected(toy.LISTS, 0.0) == 0


def test_each_prompt_with_an_article_is_normalised_over_its_own_attributes():
    prompts = ["[text] is a [attribute]", "[text] is an [attribute]"]
    ratings = {"cook": 1.0, "guard": 2.0, "artist": 5.0, "actor": 4.0}
    lists = toy.LISTS._replace(attributes=list(ratings), prompts=prompts, ratings=ratings)
    assert -1 < planted.expected(lists, 1.0) < 0
    for prompt in prompts:
        for of_guise in planted.log_p(lists, prompt, 1.0).values():
            assert np.exp(list(of_guise.values())).sum() == pytest.approx(1)


def test_what_a_planted_model_learned_is_its_share_of_the_slope():
    found = pd.concat([toy.measured(toy.observed(slope), model) for model, slope in (("none", 0), ("strong", -0.5))])
    sentences = {toy.NAME: instantiate(toy.LISTS, 1)}
    rows = calibration.calibrate(found, sentences, {"none": 0.0, "strong": 1.5}).set_index("model")
    assert rows["expected"].tolist() == pytest.approx([0, -1.5])
    assert rows.loc["strong", "learned"] == pytest.approx(rows.loc["strong", "estimate"] / -1.5)
    assert np.isnan(rows.loc["none", "learned"])


def test_every_set_and_model_has_its_own_expected_slope():
    """Of the second set, one prompt takes half of the attributes."""
    prompts = [*toy.LISTS.prompts, "[text] is an [attribute]"]
    lists = {toy.NAME: toy.LISTS, "other": toy.LISTS._replace(prompts=prompts)}
    strengths = {"none": 0.0, "weak": 0.5, "strong": 1.5}
    found = pd.concat(
        numbers.estimates(model, name, toy.observed(-strength, lists[name]), 0.95, "holm", 0)
        for model, strength in (strengths | {"real": 1.0}).items()
        for name in lists
    )
    rows = calibration.calibrate(found, {name: instantiate(one, 1) for name, one in lists.items()}, strengths)
    assert len(rows) == 6
    expected = [planted.expected(lists[row.series], strengths[row.model]) for row in rows.itertuples()]
    assert rows["expected"].tolist() == pytest.approx(expected)
    assert len(set(np.round(expected, 6))) == 5
    known = rows[rows["planted"] > 0]
    assert known["learned"].tolist() == pytest.approx((known["estimate"] / known["expected"]).tolist())
