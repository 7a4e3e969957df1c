"""Training sets, texts to stop by, and numbers of what fine-tuned models say."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.biographies.toy import SETTINGS, laid_out, said_by
from tests.refusals import refused

from herbarium.metrics.biographies import learning, numbers, stimuli
from herbarium.statistics.inference import FEWEST_SETS_OF_INTERVAL, FEWEST_SETS_OF_TEST


def number_row(measured, variant, definition="scrubbed"):
    return measured.numbers.set_index(["variant", "definition"]).loc[(variant, definition)]


def test_both_forms_are_divided_alike_and_occupations_with_few_texts_are_left_out():
    _, design = laid_out()
    gone = design[design["occupation"] == "pilot"]
    one = gone[(gone["gender"] == "female") & (gone["part"] == "test")]["biography"].iloc[0]
    kept = design[(design["occupation"] != "pilot") | design["biography"].isin([one])]
    usable, left_out = learning.usable(kept, 4)
    assert left_out == {"pilot": "0 female to train"}
    both = [learning.divided(usable[usable["form"] == form], 2, "toy", 7) for form in stimuli.FORMS]
    assert "pilot" not in both[0].names
    assert (both[0].of_set == both[1].of_set).all()
    counts = pd.crosstab(both[0].cell[both[0].is_train], both[0].of_set)
    assert (counts[0] - counts[1]).abs().max() == 1
    other = learning.divided(usable[usable["form"] == "as_is"], 2, "other", 7)
    assert (other.of_set != both[0].of_set).any()


def test_of_each_occupation_the_same_share_is_to_stop_by():
    label = np.repeat([0, 1, 2], [40, 20, 5])
    is_held_out = learning.held_out(label, 0.1, np.random.default_rng(1))
    assert np.bincount(label[is_held_out]).tolist() == [4, 2]
    assert (learning.held_out(label, 0.1, np.random.default_rng(2)) != is_held_out).any()


def test_no_text_to_stop_by_is_told():
    with refused("biographies.training.validation_share", "0.1", "3", "12"):
        learning.held_out(np.repeat([0, 1, 2], 4), 0.1, np.random.default_rng(1))


def test_numbers_are_of_what_is_said_text_by_text():
    _, design = laid_out(1.0, 1600)
    predictions = said_by(design, lambda rows, _: rows["occupation"])
    measured = numbers.measure_finetuned("mine", "toy", design, predictions, SETTINGS)
    assert set(measured.numbers["definition"]) == {"as_is", "scrubbed"}
    assert number_row(measured, "accuracy")["estimate"] == 1
    assert number_row(measured, "slope")["estimate"] == 0
    assert measured.numbers["converged"].isna().all()
    assert set(measured.numbers["group"].str.partition("/")[0]) == {"fine-tuned"}
    for variant in ("control_accuracy", "selectivity"):
        row = number_row(measured, variant)
        assert np.isnan(row["estimate"])
        assert row["note"].startswith("only for probes")
    # of one occupation women alone are told
    is_missed = (design["occupation"] == "nurse") & (design["gender"] == "male")
    predictions = said_by(design, lambda rows, _: rows["occupation"].mask(is_missed.loc[rows.index], "pilot"))
    measured = numbers.measure_finetuned("mine", "toy", design, predictions, SETTINGS)
    gaps = measured.numbers[(measured.numbers["variant"] == "gap") & (measured.numbers["definition"] == "scrubbed")]
    assert gaps.set_index("group")["estimate"].loc["fine-tuned/nurse"] == 1
    assert (gaps["estimate"] != 0).sum() == 1


@pytest.mark.slow
def test_an_interval_is_over_training_sets_as_well():
    _, design = laid_out(1.0, 1600)
    random = np.random.default_rng(3)
    missed = [random.uniform(size=len(design)) < share for share in (0.1, 0.5, 0.3)]
    widths = []
    for is_missed in ([missed[0]] * 3, missed):
        predictions = said_by(
            design,
            lambda rows, number, is_wrong=is_missed: rows["occupation"].mask(
                is_wrong[number][rows.index], rows["occupation"].iloc[0]
            ),
            FEWEST_SETS_OF_INTERVAL,
        )
        settings = SETTINGS._replace(sets=FEWEST_SETS_OF_INTERVAL)
        row = number_row(numbers.measure_finetuned("mine", "toy", design, predictions, settings), "accuracy")
        widths.append(row["ci_high"] - row["ci_low"])
    assert widths[1] > 5 * widths[0]


def test_texts_that_were_cut_are_counted():
    _, design = laid_out()
    predictions = said_by(design, lambda rows, _: rows["occupation"])
    predictions["scrubbed"][0].loc[[0, 1], "truncated"] = True
    measured = numbers.measure_finetuned("mine", "toy", design, predictions, SETTINGS)
    assert "2 test biographies, scrubbed, were cut at the end" in number_row(measured, "accuracy")["note"]


def of_missed(share_of_women, of_set, seed=3):
    """Of each occupation another model misses this share of women at random, and of men as many more as its set has."""
    _, design = laid_out(1.0, 1600)
    random = np.random.default_rng(seed)
    drawn = pd.Series(random.uniform(size=len(design)), design.index)
    share = np.where(design["gender"] == "female", share_of_women, 0.3)

    def told(form_rows, number):
        is_missed = drawn < share + of_set[number]
        return form_rows["occupation"].mask(is_missed[form_rows.index], form_rows["occupation"].iloc[0])

    return design, said_by(design, told, len(of_set))


@pytest.mark.slow
@pytest.mark.parametrize(("share_of_women", "of_set"), [(0.3, (0, 0.2) * 3), (0.9, (0,) * 5), (0.6, (0, 0.1) * 3)])
def test_what_is_tested_is_what_another_training_would_give(share_of_women, of_set):
    """A test of each number at a level rejects where its interval at that level is without 0."""
    design, predictions = of_missed(share_of_women, of_set)
    for level in (0.5, 0.9, 0.95, 0.999):
        rows = numbers.measure_finetuned(
            "mine", "toy", design, predictions, SETTINGS._replace(level=level, sets=len(of_set))
        ).numbers
        tested = rows[rows["variant"].isin(["slope", "gap"]) & (rows["definition"] == "scrubbed")].set_index("group")
        assert tested["p_value"].notna().all()
        is_without = (tested["ci_low"] > 0) | (tested["ci_high"] < 0)
        assert (is_without == (tested["p_value"] < 1 - level)).all()
        assert rows.loc[rows["variant"] == "absolute_difference", "p_value"].isna().all()


@pytest.mark.parametrize("sets", range(1, FEWEST_SETS_OF_TEST))
def test_few_training_sets_say_little_of_others(sets):
    """With two, gaps were called different in 21 % of simulated studies without bias."""
    design, predictions = of_missed(0.9, (0,) * sets)
    rows = numbers.measure_finetuned("mine", "toy", design, predictions, SETTINGS._replace(sets=sets)).numbers
    tested = rows[rows["variant"].isin(["slope", "gap"])]
    assert tested["p_value"].isna().all()
    assert tested["ci_low"].isna().all() == (sets < FEWEST_SETS_OF_INTERVAL)
    assert tested["note"].str.contains(f"at least {FEWEST_SETS_OF_TEST}").all()
