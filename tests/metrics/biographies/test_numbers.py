"""Numbers of planted biographies, through all that makes them."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.biographies.toy import SETTINGS, laid_out, measured, vectors

from herbarium.metrics.biographies import calibration, numbers
from herbarium.statistics.inference import adjust


@pytest.fixture(scope="module")
def by_strength():
    return {strength: measured(strength=strength, n=2400) for strength in (0.0, 1.6)}


@pytest.fixture(scope="module")
def tongues():
    return measured(unit="many", n=1600, languages=("en", "xx"), layers=("1",))


def number_row(measured, variant, definition="scrubbed", group="1", unit="toy"):
    rows = measured.numbers.set_index(["variant", "definition", "group", "unit"])
    return rows.loc[(variant, definition, group, unit)]


@pytest.mark.slow
def test_what_is_planted_is_found_in_the_layer_that_knows_it(by_strength):
    slope = number_row(by_strength[1.6], "slope")
    assert slope["ci_low"] < 1.6 < slope["ci_high"]
    assert slope["p_adjusted"] < 0.01
    assert number_row(by_strength[0.0], "slope")["p_adjusted"] > 0.05
    assert number_row(by_strength[0.0], "slope")["ci_low"] < 0 < number_row(by_strength[0.0], "slope")["ci_high"]
    assert number_row(by_strength[1.6], "accuracy")["estimate"] > 0.7
    assert number_row(by_strength[1.6], "accuracy", group="0")["estimate"] < 0.25
    assert number_row(by_strength[1.6], "selectivity")["ci_low"] > 0.5
    assert abs(number_row(by_strength[1.6], "control_accuracy")["estimate"] - 1 / 8) < 0.04


def test_numbers_belong_together(by_strength):
    for measured_ in by_strength.values():
        occupations = measured_.occupations.query("definition == 'scrubbed' and group == '1'")
        accuracy = (occupations["accuracy_female"] - occupations["accuracy_male"]).to_numpy()
        np.testing.assert_allclose(accuracy, occupations["estimate"])
        slope = np.polyfit(occupations["share"], occupations["estimate"], 1)[0]
        assert number_row(measured_, "slope")["estimate"] == pytest.approx(slope)
        n = occupations[["n_female", "n_male"]].to_numpy()
        by_gender = [number_row(measured_, f"accuracy_{gender}")["estimate"] for gender in ("female", "male")]
        assert by_gender @ n.sum(axis=0) / n.sum() == pytest.approx(number_row(measured_, "accuracy")["estimate"])
        # the mean over training sets of absolute gaps is no less than the absolute mean gap
        diff = number_row(measured_, "absolute_difference")["estimate"]
        assert diff >= occupations["estimate"].abs().mean() - 1e-12
        chance = number_row(measured_, "absolute_difference_by_chance")["estimate"]
        assert number_row(measured_, "excess_difference")["estimate"] == pytest.approx(diff - chance)
        assert number_row(measured_, "selectivity")["estimate"] == pytest.approx(
            number_row(measured_, "accuracy")["estimate"] - number_row(measured_, "control_accuracy")["estimate"]
        )


@pytest.mark.slow
def test_balanced_training_does_not_take_gender_for_a_hint():
    """Texts of both genders say the same of their occupation, and as they are show gender."""
    even = measured(strength=0.0, n=4000, layers=("1",))
    found_, balanced = number_row(even, "slope", "as_is"), number_row(even, "slope", "as_is_balanced")
    assert found_["p_adjusted"] < 0.05
    assert balanced["p_adjusted"] > 0.05
    assert balanced["ci_low"] < 0 < balanced["ci_high"]
    assert balanced["estimate"] < found_["estimate"] / 2


def test_absolute_differences_are_above_zero_without_bias(by_strength):
    row = number_row(by_strength[0.0], "absolute_difference")
    assert row["estimate"] > 0.03
    assert row["p_adjusted"] > 0.05
    assert number_row(by_strength[1.6], "absolute_difference")["p_adjusted"] < 0.01


@pytest.mark.slow
def test_it_does_not_depend_on_the_order_of_dimensions_or_what_else_is_measured(by_strength):
    words, design = laid_out(1.6, 2400)
    layer_vectors = vectors(words, ["1"])
    turned = layer_vectors._replace(values=3 * layer_vectors.values[:, :, ::-1] + 1)
    settings = SETTINGS._replace(correction="fdr_bh")
    again = numbers.measure("toy", "toy", design, turned, settings)
    for variant in ("slope", "accuracy", "control_accuracy"):
        one, other = number_row(again, variant), number_row(by_strength[1.6], variant)
        assert one["estimate"] == pytest.approx(other["estimate"], abs=0.01)


@pytest.mark.slow
def test_each_language_is_tested_with_the_probes_of_each(tongues):
    units = ["many/en→en", "many/en→xx", "many/xx→en", "many/xx→xx"]
    assert tongues.numbers["unit"].unique().tolist() == units
    n = [number_row(tongues, "slope", unit=unit)["n"] for unit in units]
    assert (n[0], n[1]) == (n[2], n[3])
    assert all(number_row(tongues, "accuracy", unit=unit)["estimate"] > 0.5 for unit in units)


def test_texts_without_a_vector_are_left_out_of_both_forms():
    words, design = laid_out()
    layer_vectors = vectors(words, ["1"])
    first_scrubbed = len(design) // 2
    layer_vectors.values[first_scrubbed] = np.nan
    row = number_row(numbers.measure("toy", "toy", design, layer_vectors, SETTINGS), "slope", "as_is")
    assert row["note"] == f"1 of {first_scrubbed} biographies have no vector"


@pytest.mark.slow
def test_small_occupations_are_left_out_and_named():
    words, design = laid_out()
    is_gone = (design["occupation"] == "pilot") & (design["gender"] == "female") & (design["part"] == "test")
    kept = ~is_gone
    layer_vectors = vectors(words[kept].reset_index(drop=True), ["1"])
    table = numbers.measure("toy", "toy", design[kept].reset_index(drop=True), layer_vectors, SETTINGS)
    note = "1 occupations left out, with under 4 biographies of a gender: pilot: 0 female to test"
    assert set(table.numbers["note"].str.partition(" · ")[2]) | set(table.numbers["note"]) >= {note}
    assert "pilot" not in set(table.occupations["occupation"])


@pytest.mark.parametrize(
    ("n", "message"), [(2, "no slope: 2 occupations"), (1, "1 occupations with enough biographies")]
)
def test_too_few_occupations_are_said(n, message):
    words, design = laid_out()
    kept = design["occupation"].isin(["dancer", "builder"][:n])
    layer_vectors = vectors(words[kept].reset_index(drop=True), ["1"])
    table = numbers.measure("toy", "toy", design[kept].reset_index(drop=True), layer_vectors, SETTINGS)
    assert message in number_row(table, "slope")["note"]
    assert np.isnan(number_row(table, "slope")["estimate"])
    assert np.isnan(number_row(table, "accuracy")["estimate"]) == (n == 1)
    assert table.occupations.empty == (n == 1)


def test_calibration_has_the_last_layer_and_what_is_expected(by_strength):
    tidy = pd.concat([result.numbers.assign(unit=f"task-{strength}") for strength, result in by_strength.items()])
    rows = calibration.rows(tidy, {"task-0.0": 0.0, "task-1.6": 1.6})
    names = ["as is", "as is, balanced", "scrubbed", "scrubbed, balanced"]
    assert sorted(rows["series"].unique()) == [f"toy, {name}" for name in names]
    scrubbed = rows[rows["series"] == "toy, scrubbed"]
    assert scrubbed["planted"].tolist() == scrubbed["expected"].tolist() == [0.0, 1.6]
    assert rows.loc[rows["series"] == "toy, as is", "expected"].isna().all()
    assert scrubbed["estimate"].tolist() == [
        number_row(by_strength[strength], "slope")["estimate"] for strength in (0.0, 1.6)
    ]


def test_tasks_without_planted_texts_are_not_calibrated(by_strength):
    tidy = pd.concat([result.numbers.assign(unit=f"task-{strength}") for strength, result in by_strength.items()])
    real = tidy[tidy["unit"] == "task-1.6"].assign(unit="real")
    other = tidy.assign(model="other", estimate=tidy["estimate"] + 1)
    strengths = {"task-0.0": 0.0, "task-1.6": 1.6}
    rows = calibration.rows(pd.concat([tidy, real, other]), strengths)
    assert len(rows) == 2 * 2 * 4  # sources, tasks, definitions
    alone = calibration.rows(tidy, strengths)
    ours = rows[rows["model"] == "toy"].reset_index(drop=True)
    pd.testing.assert_frame_equal(ours, alone.reset_index(drop=True))


def test_slopes_and_absolute_differences_of_a_unit_are_a_family_each(by_strength, tongues):
    for measured_ in (by_strength[1.6], tongues):
        for (_, variant), family in measured_.numbers.groupby(["unit", "variant"]):
            if variant in ("slope", "absolute_difference"):
                p = family["p_value"].to_numpy(float)
                assert family["p_adjusted"].tolist() == pytest.approx(adjust(p, "holm").tolist())


def test_shares_are_of_training_texts_and_forms_have_numbers_of_their_own(by_strength):
    _, design = laid_out(1.6, 2400)
    learned = design[(design["part"] == "train") & (design["form"] == "as_is")]
    is_woman = learned["gender"] == "female"
    share = by_strength[1.6].occupations.query("definition == 'scrubbed' and group == '1'").set_index("occupation")
    assert share["share"].to_dict() == pytest.approx(is_woman.groupby(learned["occupation"]).mean().to_dict())
    forms = [number_row(by_strength[1.6], "accuracy", definition)["estimate"] for definition in ("as_is", "scrubbed")]
    assert forms[0] != forms[1]


def test_probes_of_a_language_learn_from_its_texts_alone(tongues):
    """The other language's training texts say nothing, and its tests are as they were."""
    words, design = laid_out(n=1600, languages=("en", "xx"))
    layer_vectors = vectors(words, ["1"])
    is_lost = ((design["part"] == "train") & (design["language"] == "xx")).to_numpy()
    layer_vectors.values[is_lost] = np.random.default_rng(0).normal(size=layer_vectors.values[is_lost].shape)
    other = numbers.measure("toy", "many", design, layer_vectors, SETTINGS)
    for unit in ("many/en→en", "many/en→xx"):
        expected = number_row(tongues, "accuracy", unit=unit)["estimate"]
        assert number_row(other, "accuracy", unit=unit)["estimate"] == expected
        assert number_row(other, "accuracy", unit=unit.replace("/en", "/xx"))["estimate"] < 0.5 < expected
