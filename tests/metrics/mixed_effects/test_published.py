"""Published figures of the mixed-effects study beside ours, on toys whose numbers are known."""

import numpy as np
import pandas as pd
import pytest

from herbarium.core import resources
from herbarium.metrics.mixed_effects import published as published_beside
from herbarium.metrics.mixed_effects import stimuli
from herbarium.metrics.mixed_effects.bins import BINS
from herbarium.models.treated import Treated, unchanged
from herbarium.statistics.fits_overview import ADJUSTED

PUBLISHED = resources.read_table("resources/mixed_effects/published.csv", ["table", "value"])
TRAITS = stimuli.read("resources/mixed_effects/traits")
SWAPPED = ("calmer", "calmer-seed2")
TREATMENT = "tuned on exchanged gendered words"
CALMER = Treated("calmer", "roberta-large", TREATMENT, "shrestha", "gap-swapped", "all", SWAPPED)


def study(fits=(), bins=(), counts=(), causal=(), treated=()):
    """treated: changed models; all others are as they are."""
    changed = {name for treated_model in treated for name in treated_model.trainings}
    names = {row["model"] for row in [*fits, *bins]} | {row[0] for row in counts}
    return published_beside.Study(
        fits=pd.DataFrame(fits).reindex(columns=ADJUSTED.fields.names),
        bins=pd.DataFrame(bins).reindex(columns=BINS.fields.names),
        counts=pd.DataFrame(counts, columns=published_beside.COUNTS),
        families=published_beside.families(TRAITS),
        causal=causal,
        treated=[*map(unchanged, sorted(names - changed)), *treated],
    )


def fit(model, dimension, estimate, definition="paper", data="traits", subset="all", contrast="male-female", **more):
    numbers = {"ci_low": estimate - 0.1, "ci_high": estimate + 0.2, "r2": 0.02, "r2_raw": 0.05, "p_value": 0.5, "n": 9}
    keys = {"model": model, "data": data, "definition": definition, "subset": subset, "structure": "intercepts"}
    return keys | {"dimension": dimension, "contrast": contrast, "estimate": estimate, **numbers, **more}


def beside(name, **ours):
    return published_beside.beside(PUBLISHED, study(**ours), published_beside.TABLES[name])


def test_a_score_stands_beside_the_one_of_its_model_and_dimension():
    fits = [
        fit("roberta-large", "serenity", -1.0),
        fit("roberta-large", "serenity", -3.0, definition="released"),
        fit("roberta-large", "serenity", 7.0, subset="common"),
        fit("roberta-large", "serenity", 8.0) | {"structure": "slopes"},
        fit("bert-large-uncased", "order", 0.7),
    ]
    table = beside("table3", fits=fits)
    row = table[table["measure"] == "bias"].set_index(["model", "dimension"]).loc[("roberta-large", "serenity")]
    assert (row["published"], row["paper"], row["released"]) == (-1.08, -1.0, -3.0)
    assert (row["difference"], row["difference_released"]) == (pytest.approx(0.08), pytest.approx(-1.92))
    assert (row["paper_low"], row["paper_high"]) == (pytest.approx(-1.1), pytest.approx(-0.8))
    assert len(table[table["measure"] == "bias"]) == 2
    # losses of a causal model have the other sign
    fits = [fit("llama-3.1-8b", "order", 1.5, contrast="male-neo")]
    row = beside("table14", fits=fits, causal=["llama-3.1-8b"]).iloc[0]
    assert (row["published"], row["paper"]) == (-1.56, -1.5)
    assert (row["paper_low"], row["paper_high"]) == (pytest.approx(-1.7), pytest.approx(-1.4))
    for name in published_beside.TABLES:  # a study without the published models
        assert beside(name, fits=[fit("mine", "order", 1.0)]).empty


def test_a_figure_of_the_paper_stands_beside_the_fit_of_its_structure():
    fits = [fit("roberta-large", "serenity", 9.0) | {"structure": "crossed"}, fit("roberta-large", "serenity", -1.0)]
    table = beside("table3", fits=fits).set_index("measure")
    assert table.loc["bias", "paper"] == -1.0


def test_a_range_of_effect_sizes_is_over_the_dimensions_of_its_family():
    fits = [
        fit("roberta-large", "empathy", 0, r2=0.1, r2_raw=0.2),
        fit("roberta-large", "order", 0, r2=0.3, r2_raw=0.6),
        fit("roberta-large", "openness", 0, r2=0.9, r2_raw=0.9),
    ]
    families = published_beside.families(TRAITS)
    assert families["character"] == ["empathy", "order", "resourceful", "serenity"]
    assert len(families["personality"]) == 5
    assert families["traits"] == families["character"] + families["personality"]
    table = beside("table3", fits=fits).set_index(["dimension", "measure"])
    assert table.loc[("character", "r2_low"), ["paper", "r2_mean_1"]].tolist() == [0.2, 0.1]
    assert table.loc[("character", "r2_high"), ["paper", "r2_mean_1"]].tolist() == [0.6, 0.3]
    assert table.loc[("character", "r2_high"), "published"] == 0.127
    assert table.loc[("personality", "r2_low"), "paper"] == 0.9


@pytest.mark.parametrize(
    ("counted", "treated", "mean", "note"),
    [
        ({"a": 3000, "b": 3100, "c": 3200}, [], 3100, "of 3 models"),
        ({"a": 1400, "calmer": 9000}, ["calmer"], 1400, "of 1 model"),  # models as they are alone
    ],
)
def test_sentences_are_counted_by_template_and_averaged_over_models(counted, treated, mean, note):
    counts = [(model, "traits", "empathy", "t1", n) for model, n in counted.items()]
    table = beside("table13", counts=counts, treated=[CALMER] if treated else ()).set_index("measure")
    assert table.loc["sentences_mean", ["published", "paper", "note"]].tolist() == [3067, mean, note]
    if not treated:
        assert table.loc["sentences_sd", "paper"] == 100


def test_sentences_leave_out_neo_pronouns_and_negative_targets():
    rows = [
        ("paper", "t1", target, pair, gender)
        for target in ("meek", "serene", "impatient")
        for pair, gender in (("aunt-uncle", "female"), ("aunt-uncle", "male"), (None, "neo"))
    ]
    observed = pd.DataFrame(rows, columns=["definition", "template", "target", "pair", "gender"])
    observed = pd.concat([observed, observed.assign(definition="released")])
    counts = published_beside.sentences("m", "traits", TRAITS, observed)
    assert counts.to_numpy().tolist() == [["m", "traits", "serenity", "t1", 4]]


def test_figures_of_the_text_are_of_bins():
    keys = {"model": "roberta-large", "data": "traits", "definition": "paper", "dimension": "conscientiousness"}
    single = [
        keys | {"cumulative": False, "low": 5.0 * i, "high": 5.0 * i + 5, "estimate": -i, "r2": i / 100, "n": 10}
        for i in range(6)
    ]
    whole = keys | {"cumulative": True, "low": 0.0, "high": 100.0, "estimate": -9, "r2": 0.5, "share": 0.8, "n": 100}
    counts = [("roberta-large", "traits", "conscientiousness", f"t{i}", 1500) for i in range(1, 7)]
    table = beside("text", bins=[*single, whole], counts=counts)
    frame = table.set_index(["subset", "measure"])["paper"]
    assert frame["first_four_bins", "bias"] == np.mean([0, -1, -2, -3])
    assert frame["first_four_bins", "r2"] == pytest.approx(0.015)
    assert frame["all", "sentences"] == 9000
    assert frame["pppl_up_to_100", "sentences_percent"] == 80
    released = [row | {"definition": "released", "estimate": 9.0, "r2": 0.9, "share": 0.1} for row in [*single, whole]]
    both = beside("text", bins=[*released, *single, whole], counts=counts).set_index(["subset", "measure"])["paper"]
    pd.testing.assert_series_equal(both, frame)


def calmer(*estimates, treated=CALMER, **more):
    """Fits of a changed model's trainings, and one of the model that it comes from."""
    fits = [fit(name, "serenity", value, **more) for name, value in zip(SWAPPED, estimates, strict=False)]
    return {"fits": [*fits, fit("roberta-large", "serenity", -1.0)], "treated": [treated]}


def test_a_mitigated_model_stands_beside_the_figure_after_mitigation():
    of_16 = beside("table16", **calmer(-0.3, -0.5, n=80, p_adjusted=0.6)).set_index("treatment")
    assert of_16["published"].to_dict() == {"": -1.08, CALMER.treatment: -0.39}
    assert of_16["measured"].to_dict() == {"": "roberta-large", CALMER.treatment: "calmer"}
    row = of_16.loc[CALMER.treatment]
    assert row[["paper", "difference"]].tolist() == pytest.approx([-0.4, -0.01])
    # of two trainings, s = 0.1414, beside one: t(1) s √(1/2 + 1) = 12.706 × 0.17321
    assert row[["paper_low", "paper_high"]].tolist() == pytest.approx([-0.4 - 2.2008, -0.4 + 2.2008], abs=1e-4)
    assert row[["p_value", "p_adjusted"]].isna().all()
    assert (row["n"], row["converged"]) == (80, True)
    assert row["note"] == "calmer: trained on gap-swapped by shrestha (weights: all), mean of 2"
    assert set(beside("table3", **calmer(-0.3, -0.5))["measured"]) == {"roberta-large"}


def test_one_training_that_did_not_converge_or_is_singular_makes_all_of_them_so():
    ours = calmer(-0.3, -0.5, converged=True, singular=False)
    ours["fits"][0] |= {"converged": False, "singular": True}
    row = beside("table16", **ours).set_index("treatment").loc[CALMER.treatment]
    assert (row["converged"], row["singular"]) == (False, True)


def test_one_training_keeps_its_p_value_and_has_no_bounds():
    row = beside("table16", **calmer(-0.3, p_adjusted=0.6)).set_index("treatment").loc[CALMER.treatment]
    assert row["p_adjusted"] == 0.6
    assert np.isnan(row["paper_low"])
    assert row["note"].endswith("once: how much another training would differ is unknown")


def test_another_schedule_or_other_terms_stand_nowhere():
    for change in ({"schedule": "ahn_oh"}, {"schedule": ""}, {"treatment": "tuned"}):
        assert beside("table16", **calmer(-0.3, treated=CALMER._replace(**change)))["treatment"].tolist() == [""]
    released = CALMER._replace(schedule="shrestha_released")
    assert len(beside("table16", **calmer(-0.3, treated=released))) == 2


def rows(*names, **ours):
    result = published_beside.published(PUBLISHED, [beside(name, **ours) for name in names])
    return result.set_index(["table", "row", "column"])


def test_every_figure_is_there_once_whatever_is_measured():
    result = published_beside.published(PUBLISHED, [])
    assert result["agreement"].eq("not measured").all()
    assert set(result["metric"]) == {"mixed_effects"}
    assert len(result) == len(PUBLISHED) == len(result[["table", "row", "column"]].drop_duplicates())
    assert set(result["table"]) == {"2", "3", "4", "5", "6", "7", "13", "14", "16", "3.2.4", "A.4", "A.5.1"}


def test_what_trainings_differ_by_is_a_tolerance():
    table = rows("table16", **calmer(-0.3, -0.5)).loc["16"]
    before, after = (f"roberta-large, {name}traits, serenity, male-female" for name in ("", f"{CALMER.treatment}, "))
    assert table.loc[(after, "bias"), "agreement"] == "agrees"
    assert table.loc[(after, "bias"), "tolerance"] == pytest.approx(0.005 + 2.2008, abs=1e-4)
    assert table.loc[(before, "bias"), "tolerance"] == pytest.approx(0.005)
    lost = rows("table16", **calmer(-0.3, -0.5, converged=False)).loc["16"]
    assert lost.loc[(after, "bias"), "agreement"] == "not measured"


def test_a_fit_that_did_not_converge_measures_nothing():
    fits = [
        fit("roberta-large", "serenity", -1.078, converged=True),  # printed -1.08
        fit("bert-large-uncased", "order", 0.7, converged=False, note="it went astray"),
    ]
    table = rows("table3", fits=fits).loc["3"]
    good = table.loc[("roberta-large, traits, serenity, male-female", "bias")]
    assert good["agreement"] == "agrees"
    assert good[["difference", "tolerance"]].tolist() == pytest.approx([0.002, 0.005])
    lost = table.loc[("bert-large-uncased, traits, order, male-female", "bias")]
    assert lost["agreement"] == "not measured"
    assert np.isnan(lost["paper"])
    assert lost["note"] == "it went astray; the fit did not converge"


def test_figures_of_the_seven_models_are_of_all_seven():
    table = pd.DataFrame([(model, "traits") for model in ("roberta-base", "seven")], columns=["model", "data"])
    seven = set(PUBLISHED.loc[PUBLISHED["table"] == "3", "model"])
    assert len(seven) == 7
    same = {"models": dict.fromkeys(seven, ""), "data": {"traits": ""}}
    assert published_beside.reasons(table, PUBLISHED, same) == ["", ""]
    planted = same | {"models": same["models"] | {"albert-base-v2": "it is planted"}}
    assert published_beside.reasons(table, PUBLISHED, planted) == ["", "it is planted"]
    two = same | {"models": {"roberta-base": "", "albert-base-v2": ""}}
    first, together = published_beside.reasons(table, PUBLISHED, two)
    assert first == ""
    assert "'roberta-large' is not in this study" in together
    other = same | {"data": {"traits": "other words"}}
    assert published_beside.reasons(table, PUBLISHED, other) == ["other words", "other words"]
