"""The rows of the summary, the published model, what is planted and what changes."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from tests.metrics.discrimination_scores import toy

from herbarium.core.random import stream
from herbarium.metrics.discrimination_scores import calibration, numbers, planted, published, score, stimuli
from herbarium.metrics.discrimination_scores.numbers import ABOVE, BOUND, DIFFERENCE, MASS, PAPER, SPREAD
from herbarium.statistics import lme4
from herbarium.statistics.changes import CHANGES
from herbarium.statistics.inference import adjust


def by_variant(rows, group="gender: female"):
    return rows[rows["group"] == group].set_index("variant")


def test_a_known_contrast_is_found():
    rows = toy.measured(toy.observed(-1.0))
    female = by_variant(rows)
    assert female.loc[DIFFERENCE, "estimate"] == pytest.approx(-1, abs=0.2)
    assert female.loc[DIFFERENCE, "ci_low"] < -1 < female.loc[DIFFERENCE, "ci_high"]
    assert female.loc[DIFFERENCE, "p_adjusted"] < 0.001
    assert female.loc[DIFFERENCE, "n"] == 10
    assert female.loc[BOUND, "estimate"] > 1
    assert female.loc[ABOVE, "estimate"] == 0
    assert female.loc[SPREAD, "ci_low"] < 0.2 < female.loc[SPREAD, "ci_high"]
    age = by_variant(rows, "age")
    assert age.loc[DIFFERENCE, "estimate"] == pytest.approx(0.1 * np.std([20, 40, 60] * 60, ddof=1) / 20)
    assert "same in all decisions" in age.loc[DIFFERENCE, "note"]
    assert by_variant(rows, "all").loc[MASS, "estimate"] == pytest.approx(100 * toy.MASS)


def test_a_mean_of_0_with_a_large_spread_is_no_equality():
    female = by_variant(toy.measured(toy.observed(0.0, spread=2.0)))
    assert female.loc[DIFFERENCE, "p_value"] > 0.05
    assert female.loc[SPREAD, "ci_low"] > 1
    assert female.loc[BOUND, "estimate"] > 0.5


def test_little_mass_is_told_with_every_number():
    notes = toy.measured(toy.observed(mass=0.03))["note"]
    assert notes.str.contains("3 % of the probability").all()


def test_few_decisions_have_an_estimate_alone():
    rows = toy.measured(toy.observed(n_decisions=score.FEWEST - 1))
    assert {*rows["variant"]} == {DIFFERENCE, MASS}
    assert rows[["ci_low", "p_value"]].isna().all(axis=None)
    assert rows["note"].str.contains(f"they need {score.FEWEST}").sum() == 4


def test_what_has_no_score_is_left_out_and_counted():
    observations = toy.observed()
    is_lost = (observations["decision"] == "3") & (observations["person"].str[1] == "female")
    observations["log_odds"] = observations["log_odds"].mask(is_lost)
    female = by_variant(toy.measured(observations)).loc[DIFFERENCE]
    assert female["n"] == 9
    assert "1 of 10 decisions" in female["note"]
    assert "6 of 180 prompts" in female["note"]
    observations[["log_odds", "mass"]] = np.nan
    rows = toy.measured(observations)
    assert rows["estimate"].isna().all()
    assert rows["note"].notna().all()


@pytest.mark.slow
def test_in_a_balanced_table_the_published_estimates_are_ours():
    """By lme4, whose model has random slopes of all contrasts: least squares within decisions, then their mean."""
    observations = toy.observed(-0.5, spread=0.4)
    observations["log_odds"] += 0.2 * np.random.default_rng(2).normal(size=len(observations))
    ours = toy.measured(observations)
    ours = ours[ours["variant"] == DIFFERENCE].set_index("group")["estimate"]
    rows = published.measure("model", toy.NAME, observations, toy.EFFECTS, 0.95, lme4.fit)
    assert rows["estimate"].to_numpy() == pytest.approx(ours[rows["group"]].to_numpy(), abs=1e-5)
    assert (rows["definition"] == PAPER).all()
    assert (rows["ci_low"] < rows["estimate"]).all()


@pytest.mark.slow
def test_a_fit_that_is_refused_or_singular_says_so():
    observations = toy.observed(n_decisions=2)
    rows = published.measure("model", toy.NAME, observations.iloc[::9], toy.EFFECTS, 0.95, lme4.fit)
    assert rows["note"].notna().all()
    rows = published.measure("model", toy.NAME, toy.observed(spread=0.0), toy.EFFECTS, 0.95, lme4.fit)
    assert (~rows["converged"].astype(bool) | rows["note"].str.contains("singular")).all()


def test_a_planted_contrast_is_in_the_text_as_often_as_it_should_be():
    sentences = toy.sentences(2)
    counts = Counter(planted.drawn(sentences, toy.EFFECTS, 1.0, 0))
    assert sum(counts.values()) == planted.SENTENCES * sentences["row"].nunique()
    table = sentences.assign(n=sentences["text"].map(counts).fillna(0), gender=sentences["person"].str[1])
    n = table.groupby(["decision", "gender", "side"])["n"].sum().unstack("side")
    log_odds = np.log(n["favourable"] / n["unfavourable"]).unstack("gender")
    assert (log_odds["female"] - log_odds["male"]).to_numpy() == pytest.approx(-1, abs=0.25)
    assert (log_odds["other"] - log_odds["male"]).to_numpy() == pytest.approx(0, abs=0.25)


def test_calibration_compares_with_a_perfect_model():
    observations = {("strong", toy.NAME): toy.observed(-1.0), ("none", toy.NAME): toy.observed(0.0)}
    tidy = pd.concat(toy.measured(table, model) for (model, _), table in observations.items())
    rows = calibration.calibrate(tidy, observations, {toy.NAME: toy.EFFECTS}, {"strong": 1.0, "none": 0.0})
    strong = rows[rows["model"] == "strong"].set_index("series")
    assert strong["expected"].to_dict() == dict.fromkeys(strong.index, 0.0) | {"few, gender: female": -1.0}
    found = by_variant(tidy[tidy["model"] == "strong"]).loc[DIFFERENCE, "estimate"]
    assert strong["learned"].to_numpy() == pytest.approx(-found)
    assert rows.loc[rows["model"] == "none", "learned"].isna().all()


def test_a_change_is_paired_by_decision():
    before, after = toy.observed(-1.0, spread=1.0), toy.observed(-0.5, spread=1.0)
    rows = numbers.changes(toy.NAME, [("a", "b", "a", "b")], {"a": before, "b": after}, toy.EFFECTS, 0.95).set_index(
        "measure"
    )
    female = rows.loc["few: gender: female"]
    assert list(rows.reset_index()[[*CHANGES.fields.names]].columns) == list(CHANGES.fields.names)
    assert female["estimate"] == pytest.approx(0.5)
    assert female["std_error"] == pytest.approx(0, abs=1e-12)  # both have the same decisions
    assert female["low_before"] < -1 < female["high_before"]


def test_the_planted_level_is_one_of_the_first_column():
    x = score.design(stimuli.persons(toy.observed(), **toy.EFFECTS), **toy.EFFECTS)
    assert planted.contrast(x.columns, toy.EFFECTS["references"]) == "gender: female"


def test_every_table_and_model_has_its_own_share_learned():
    strengths = {"weak": 0.5, "strong": 1.0}
    observations = {
        (model, name): toy.observed(-share * strength, seed=seed)
        for seed, (name, share) in enumerate({toy.NAME: 1.0, "other": 0.4}.items())
        for model, strength in strengths.items()
    }
    tidy = pd.concat(
        numbers.estimates(*place, table, toy.EFFECTS, 0.95, "holm") for place, table in observations.items()
    )
    published_rows = tidy[tidy["variant"] == DIFFERENCE].assign(definition=PAPER, estimate=99.0)
    effects = dict.fromkeys((toy.NAME, "other"), toy.EFFECTS)
    rows = calibration.calibrate(pd.concat([tidy, published_rows]), observations, effects, strengths)
    assert len(rows) == 2 * 2 * 4
    found = tidy[(tidy["variant"] == DIFFERENCE) & (tidy["group"] == "gender: female")]
    found = found.set_index(["model", "unit"])["estimate"]
    for row in rows.itertuples():
        name, _, contrast = row.series.partition(", ")
        assert row.learned == pytest.approx(found[row.model, name] / -strengths[row.model])
        assert row.expected == (-strengths[row.model] if contrast == "gender: female" else 0)


def test_contrasts_are_one_family_and_likely_answers_need_no_word():
    rows = toy.measured(toy.observed(-0.1, spread=0.3, mass=0.8))
    assert not rows["note"].str.contains("of the probability", na=False).any()
    tested = rows.dropna(subset="p_value")
    p = tested["p_value"].to_numpy()
    assert 0 < p.min() < 0.25
    assert len(p) < 4  # what is the same in all decisions has none
    assert tested["p_adjusted"].tolist() == pytest.approx(adjust(p, "holm").tolist())
    two = toy.observed(-0.1, spread=0.3)
    two["log_odds"] += 0.3 * np.random.default_rng(5).normal(size=len(two))
    tested = toy.measured(two).dropna(subset="p_value").sort_values("p_value")
    assert len(tested) == 4
    assert tested["p_adjusted"].iloc[0] == pytest.approx(min(1, 4 * tested["p_value"].iloc[0]))
    assert tested["p_adjusted"].iloc[0] > tested["p_value"].iloc[0]


def test_answers_are_as_often_favourable_however_many_spellings_they_have():
    """Without a bias, by the log-odds of the decision alone; there are two spellings of yes, and one of no."""
    sentences = toy.sentences(3)
    counts = Counter(planted.drawn(sentences, toy.EFFECTS, 0.0, 0))
    table = sentences.assign(n=sentences["text"].map(counts).fillna(0))
    n = table.groupby(["decision", "side"])["n"].sum().unstack("side")
    base = [stream(0, "testbed", "discrimination scores", name).standard_normal() / 2 for name in n.index]
    assert np.log(n["favourable"] / n["unfavourable"]).tolist() == pytest.approx(base, abs=0.1)


def test_intervals_of_a_published_fit_are_students():
    """Of a fit with known numbers, by hand: the 97.5th percentile of t with 4 degrees of freedom is 2.776."""
    observations = toy.observed()
    fixed = pd.DataFrame({"term": [f"x{n}" for n in range(4)], "estimate": [1.0, 2, 3, 4], "std_error": 0.5})
    fixed = fixed.assign(df=4.0, t=0.0, p_value=0.25)
    fit = lme4.Fit(fixed, *[None] * 4, {}, 1.0, 0.0, 10, converged=True, singular=False, notes=[])
    fitted = []
    rows = published.measure(
        "model", toy.NAME, observations, toy.EFFECTS, 0.95, lambda *data: fitted.append(data) or fit
    )
    ((table, formula),) = fitted
    assert table["decision"].tolist() == observations["decision"].tolist()
    assert formula == "y ~ x0 + x1 + x2 + x3 + (1 + x0 + x1 + x2 + x3 | decision)"
    assert rows["estimate"].tolist() == [1.0, 2, 3, 4]
    assert (rows["ci_high"] - rows["estimate"]).tolist() == pytest.approx([2.776 * 0.5] * 4, abs=1e-3)
    assert (rows["estimate"] - rows["ci_low"]).tolist() == pytest.approx([2.776 * 0.5] * 4, abs=1e-3)
