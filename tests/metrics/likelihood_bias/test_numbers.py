"""Rows of likelihood bias: what is measured, what is not, and why."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.likelihood_bias import toy

from herbarium.metrics.likelihood_bias import calibration
from herbarium.statistics.between import between, given
from herbarium.statistics.inference import least_bound


def of(rows, variant):
    return rows[rows["variant"] == variant].set_index("group")


def test_every_number_of_an_axis_its_templates_and_descriptors():
    rows = toy.measured(toy.observed(1.0, noise=0.05))
    variance = of(rows, "variance")
    assert set(zip(variance["n"], variance["over"], strict=True)) == {(6, "nouns (crossed with templates)")}
    of_pairs = of(rows[rows["unit"] == "axis"], "share_of_pairs")
    assert of_pairs["n"].to_dict() == {"demo/age": 5, "demo/faith": 6, "demo/place": 4}
    assert of_pairs["over"].eq("descriptors").all()
    assert (variance["p_adjusted"] < 0.01).all()
    assert (of(rows, "variance_bound")["estimate"] > variance["estimate"]).all()
    assert len(of(rows, "deviation")) == 15
    assert of(rows, "deviation").loc[["demo/place/rural"], "estimate"].notna().all()
    shares = of(rows, "share_of_pairs")
    of_templates = shares[shares["unit"] == "template"]
    assert len(of_templates) == 3 * 6
    mean = of_templates[of_templates.index.str.startswith("demo/age/")]["estimate"].mean()
    assert shares.loc["demo/age", "estimate"] == pytest.approx(mean)


def test_without_a_difference_the_variance_is_about_0():
    rows = toy.measured(toy.observed(0.0, noise=0.3))
    variance = of(rows, "variance")
    assert variance["estimate"].abs().max() < 0.02
    assert (variance["p_adjusted"] > 0.05).all()


def test_p_values_are_adjusted_over_axes_and_over_the_descriptors_of_one():
    rows = toy.measured(toy.observed(0.4, noise=0.3))
    of_age = of(rows, "deviation").filter(like="demo/age/", axis="index")
    for of_family, n in ((of(rows, "variance"), 3), (of_age, 5)):
        least = of_family.loc[of_family["p_value"].idxmin()]
        assert n * least["p_value"] < 1
        assert least["p_adjusted"] == pytest.approx(n * least["p_value"])


def test_a_descriptor_with_a_refused_sentence_is_left_out_and_said():
    observations = toy.observed(1.0, noise=0.05)
    one = (observations["descriptor"] == "senior") & (observations["noun"] == "niece")
    measured = toy.measured(toy.without(observations, one))
    rows, published = of(measured, "variance"), of(measured[measured["unit"] == "axis"], "share_of_pairs")
    assert published["n"].to_dict() == {"demo/age": 4, "demo/faith": 6, "demo/place": 4}
    assert "senior" in rows.loc["demo/age", "note"]
    noun = toy.measured(toy.without(observations, observations["noun"] == "niece"))  # of all alike
    assert set(of(noun, "variance")["over"]) == {"nouns (crossed with templates)"}
    assert set(of(noun, "variance")["n"]) == {5}


def test_what_cannot_be_measured_has_a_note():
    observations = toy.observed()
    nothing = toy.measured(toy.without(observations, observations["axis"] == "age"))
    of_age = nothing[nothing["group"] == "demo/age"]
    assert of_age["estimate"].isna().tolist() == of_age["note"].notna().tolist() == [True] * 2
    for _, of_axis in toy.measured(observations.assign(value=np.nan)).groupby("group"):
        assert of_axis["estimate"].isna().all()
        assert of_axis["note"].notna().all()
    few = observations[observations["noun"].isin(["niece", "nephew", "friend"])]
    rows = toy.measured(few)
    assert of(rows, "variance")["estimate"].isna().all()
    assert of(rows, "variance")["note"].str.contains("3 nouns").all()
    assert of(rows, "share_of_pairs")["estimate"].notna().all()


def test_planted_models_are_beside_what_their_text_implies():
    observed = {("strong", toy.NAME): toy.observed(2.0, 0.01), ("none", toy.NAME): toy.observed(0.0, 0.01)}
    tidy = pd.concat(toy.measured(table, model) for (model, _), table in observed.items())
    strengths = {"strong": 2.0, "none": 0.0}
    rows = calibration.calibrate(tidy, observed, strengths, dict.fromkeys(strengths, "causal"), toy.SEED)
    assert rows["series"].unique().tolist() == ["demo/age", "demo/faith", "demo/place"]
    strong, none = (rows[rows["model"] == model] for model in strengths)
    assert none["expected"].to_numpy() == pytest.approx(np.zeros(3), abs=1e-9)
    assert strong["learned"].to_numpy() == pytest.approx(np.ones(3), abs=0.05)
    assert strong["estimate"].to_numpy() == pytest.approx(strong["expected"].to_numpy(), rel=0.2)


def literal(observations, axis="place"):
    """Deviations of the descriptors of an axis, and their mean numbers of tokens."""
    rows = observations[observations["axis"] == axis]
    cells = rows.pivot(index=["template", "noun"], columns="descriptor", values="value")
    n_templates, n_nouns = (rows[column].nunique() for column in ("template", "noun"))
    y = cells.sub(cells.mean(axis=1), axis=0).to_numpy().reshape(n_templates, n_nouns, -1)
    return y, rows.groupby("descriptor")["n_tokens"].mean()[cells.columns].to_numpy()


def test_the_variance_its_bound_and_what_length_leaves_are_of_the_axis():
    observations = toy.observed(1.0, noise=0.1)
    place = observations.groupby(["template", "descriptor"], sort=False).ngroup()
    observations["n_tokens"] += np.random.default_rng(1).integers(0, 4, place.max() + 1)[place]
    y, n_tokens = literal(observations)
    rows = toy.measured(observations).set_index(["variant", "group"])["estimate"]
    variance = between(y, 4 - 1)
    assert rows["variance", "demo/place"] == pytest.approx(variance.variance)
    # two one-sided tests at 5 %
    assert rows["variance_bound", "demo/place"] == pytest.approx(least_bound(*variance.interval(0.9)))
    residuals = between(given(y, n_tokens), 4 - 2)
    assert rows["variance_given_length", "demo/place"] == pytest.approx(residuals.variance)
