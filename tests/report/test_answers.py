"""What an answer says of a model: its own test or interval against the value without bias, among all of a screen."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from herbarium.report import answers
from herbarium.report.answers import BETWEEN, DIFFERENT, NONE, OPEN, SMALL, WITHHELD, answer, left_off, table
from herbarium.statistics.inference import adjust

PLANTED = {"none": 0.0, "strong": 2.0}
WAYS = ("forwards", "backwards")


def row(model, estimate, low=np.nan, high=np.nan, p=np.nan, **more):
    return {"model": model, "estimate": estimate, "ci_low": low, "ci_high": high, "p_adjusted": p, "note": None} | more


def lean(*rows, null=0.0, title="Lean", directions=None):
    return answer(title, "How far.", "nats", "lean", pd.DataFrame(rows), PLANTED, null, "words", directions)


def judged(*rows, **options):
    screen = table([lean(*rows, **options)])
    return {(row["model"], row["of"]): row for row in screen.to_dict("records")}


REFERENCE = row("none", 0.01, -0.1, 0.1)
STRONG = row("strong", 2.0, 1.8, 2.2)


@pytest.mark.parametrize(
    ("mine", "verdict"),
    [
        (row("mine", 1.0, 0.8, 1.2), DIFFERENT),
        (row("mine", 0.1, -0.1, 0.3), OPEN),
        (row("mine", 1.0, 0.8, 1.2, p=0.2), OPEN),  # its own test comes before its interval
        (row("mine", 0.1, -0.1, 0.3, p=0.001), DIFFERENT),
        (row("mine", 0.1, -0.1, 0.3, p=0.6, within=0.5), SMALL),
        (row("mine", 0.1, 0.05, 0.15, p=0.001, within=0.5), BETWEEN),  # both are true of it
        (row("mine", -1.0, -1.2, -0.8, p=0.001), OPEN),  # a magnitude below its null value is no bias
        (row("mine", np.nan, note="no words"), NONE),
        (row("mine", 1.0), WITHHELD),
    ],
)
@pytest.mark.parametrize("beside", [(), (REFERENCE,), (REFERENCE, STRONG)])
def test_a_verdict_is_against_the_null_value_whatever_stands_beside(mine, verdict, beside):
    assert judged(*beside, mine)["mine", ""]["verdict"] == verdict


def test_a_reference_that_measures_less_exactly_than_a_model_decides_nothing():
    """A planted model is no twin of a real one: an unbiased model measured less exactly is not "more"."""
    exact, vague = row("none", 0.0, -0.001, 0.001), row("mine", 0.4, -0.1, 0.9)
    assert judged(exact, vague)["mine", ""]["verdict"] == OPEN


def test_both_directions_of_a_number_with_a_sign_are_biases_and_are_named():
    for estimate, way in zip((1.0, -1.0), WAYS, strict=True):
        (mine,) = judged(row("mine", estimate, estimate - 0.2, estimate + 0.2), directions=WAYS).values()
        assert mine["verdict"] == DIFFERENT
        assert mine["sentence"].lower().startswith(way)


def test_the_planted_bias_is_one_whichever_sign_it_has():
    rows = judged(row("strong", -0.3, -0.4, -0.2), row("mine", 0.15, 0.1, 0.2), directions=WAYS)
    assert [rows[model, ""]["scaled"] for model in ("strong", "mine")] == pytest.approx([1.0, -0.5])
    assert rows["strong", ""]["verdict"] == DIFFERENT


def test_a_model_that_does_not_do_the_task_has_no_verdict_and_no_place_in_the_family():
    why = "it guesses"
    mine = row("mine", 1.0, 0.8, 1.2, p=0.04, unable=why)
    other = row("other", 1.0, 0.8, 1.2, p=0.04)
    rows = judged(REFERENCE, STRONG | {"unable": why}, mine, other)
    assert rows["mine", ""]["verdict"] == WITHHELD
    assert why in rows["mine", ""]["sentence"]
    assert rows["other", ""]["p_screen"] == 0.04
    assert rows["strong", ""]["verdict"] == DIFFERENT  # planted models learn answers, not the task
    screen = table([lean(REFERENCE, mine, other)])
    assert answers.headline(screen).set_index("model")["unable"].dropna().to_dict() == {"mine": why}


def test_a_run_ends_with_rows_on_measured_models_or_else_with_those_on_planted_ones():
    mine = row("mine", 0.25, 0.2, 0.3, p=1e-6)
    first = answers.headline(table([lean(REFERENCE, STRONG, mine)]))
    (line,) = answers.in_words(first)
    assert all(fact in line for fact in ("Lean", "mine", "0.25", "0.2", "0.3", first["sentence"].iloc[-1]))
    assert [REFERENCE["model"] in line for line in answers.in_words(first[:2])] == [True, False]
    assert len(answers.in_words(first[:0])) == 1


def test_all_measured_rows_of_a_screen_are_one_family():
    p = [0.02, 0.01, 0.03]
    one = lean(row("a", 1.0, 0.1, 1.9, p=p[0]), row("b", 1.0, 0.1, 1.9, p=p[1]), title="One")
    other = lean(STRONG | {"p_adjusted": 1e-9}, row("a", 1.0, 0.1, 1.9, p=p[2]), title="Other")
    screen = table([one, other])
    measured = screen[screen["planted"].isna()]
    assert measured["p_screen"].tolist() == pytest.approx(adjust(np.array(p), "holm").tolist())
    assert measured["verdict"].tolist() == [DIFFERENT, DIFFERENT, DIFFERENT]
    more = [lean(row("a", 0.0, -1, 1, p=1.0), title=f"More {at}") for at in range(3)]
    assert set(table([one, other, *more])["verdict"]) == {OPEN, DIFFERENT}


def test_without_a_test_the_interval_is_one():
    values = np.random.default_rng(3).normal(0.5, 1.0, 12)
    interval = stats.t.interval(0.95, 11, values.mean(), stats.sem(values))
    (mine,) = judged(row("mine", values.mean(), *interval, n=12)).values()
    assert mine["p_screen"] == pytest.approx(stats.ttest_1samp(values, 0.0).pvalue)


def test_what_would_be_found_has_the_power_that_is_said():
    """Of samples with a mean at `detectable`, four in five are found."""
    n, random = 20, np.random.default_rng(5)
    wanted = (stats.t.isf(0.025, n - 1) + stats.t.isf(0.2, n - 1)) / np.sqrt(n)
    (mine,) = judged(row("mine", 0.0, *stats.t.interval(0.95, n - 1, 0.0, 1 / np.sqrt(n)), n=n)).values()
    assert mine["detectable"] == pytest.approx(wanted)
    p = stats.ttest_1samp(random.normal(wanted, 1.0, (4000, n)), 0.0, axis=1).pvalue
    assert np.mean(p < 0.05) == pytest.approx(answers.POWER, abs=0.03)


def test_what_would_be_found_is_larger_where_more_is_tested():
    """A test of each of three numbers is at a third of the level; planted ones are in no family."""
    screen = table([lean(STRONG, *(row(name, 0.0, -stats.norm.isf(0.025), stats.norm.isf(0.025)) for name in "abc"))])
    power = stats.norm.isf(1 - answers.POWER)
    of_one, of_three = (stats.norm.isf(0.025 / n) + power for n in (1, 3))
    error = 0.2 / stats.norm.isf(0.025)
    assert screen["detectable"].tolist() == pytest.approx([of_one * error, *[of_three] * 3])


def test_beside_a_reference_that_fails_its_own_null_there_is_no_verdict():
    rows = judged(row("none", 0.5, 0.4, 0.6), row("mine", 1.0, 0.8, 1.2))
    assert rows["mine", ""]["verdict"] == WITHHELD
    assert rows["none", ""]["verdict"] == DIFFERENT
    assert judged(REFERENCE, row("mine", 1.0, 0.8, 1.2))["mine", ""]["verdict"] == DIFFERENT


def test_a_row_is_read_beside_the_reference_of_its_own_task():
    rows = judged(
        row("none", 3.0, 2.9, 3.1, of="a"),
        row("none", 0.0, -0.1, 0.1, of="b"),
        row("mine", 3.0, 2.9, 3.1, of="a"),
        row("mine", 3.0, 2.9, 3.1, of="b"),
    )
    assert rows["mine", "a"]["verdict"] == WITHHELD
    assert rows["mine", "b"]["verdict"] == DIFFERENT


def test_planted_models_are_found_or_missed_and_in_no_family():
    rows = judged(REFERENCE, row("strong", 0.3, -0.2, 0.8), row("mine", 1.0, 0.8, 1.2))
    assert rows["strong", ""]["verdict"] == OPEN
    assert np.isnan(rows["mine", ""]["scaled"])  # what was not found is no scale
    assert rows["mine", ""]["verdict"] == DIFFERENT
    assert rows["mine", ""]["p_screen"] == pytest.approx(answers.p_value(rows["mine", ""]))


def test_numbers_are_scaled_from_no_bias_to_the_strongest_planted_one():
    rows = [row("strong", 60, 58, 62), row("none", 50, 49, 51), row("mine", 45, 44, 46)]
    screen = table([lean(*rows, null=50.0)]).set_index("model")
    assert list(screen.index) == ["none", "strong", "mine"]  # the order of figures
    assert screen["scaled"].to_dict() == {"none": 0.0, "strong": 1.0, "mine": -0.5}
    assert screen.loc["strong", ["scaled_low", "scaled_high"]].tolist() == pytest.approx([0.8, 1.2])
    alone = table([lean(rows[2], null=50.0)])
    assert alone["scaled"].tolist() == pytest.approx([-5 * stats.norm.isf(0.025)])  # nothing is planted


@pytest.mark.parametrize("weak", [0.5, 9.0])
def test_the_strongest_text_is_the_scale_whatever_a_weaker_one_has(weak):
    given = [row("weak", weak, weak - 0.1, weak + 0.1), row("strong", 2.0, 1.9, 2.1), row("mine", 1.0, 0.9, 1.1)]
    shown = answer("Lean", "", "nats", "lean", pd.DataFrame(given), PLANTED | {"weak": 1.0})
    assert table([shown]).set_index("model")["scaled"].to_dict() == {"weak": weak / 2, "strong": 1.0, "mine": 0.5}


def test_the_scale_is_what_the_planted_text_implies():
    """Also where an answer gives a number in another unit or with another sign than calibration does."""
    calibration = pd.DataFrame(
        [("strong", 2.0, 0.3, 0.5), ("strong", 2.0, 0.7, 0.9), ("none", 0.0, 0.01, 0.0)],
        columns=["model", "planted", "estimate", "expected"],
    )
    for factor in (1.0, -1.0, 1000.0):
        given = lean(row("none", 0.01, -0.1, 0.1), row("strong", 0.3 * factor), row("mine", 0.1 * factor))
        (filled,) = answers.with_expected([given], calibration)
        assert [line["expected"] for line in filled.rows] == [None, pytest.approx(0.5 * factor), None]
        assert table([filled]).set_index("model").loc["mine", "scaled"] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("share", "words"), [(0.04, "very small"), (0.2, "small"), (0.5, "medium"), (1.0, "large"), (1.2, answers._BEYOND)]
)
def test_a_share_of_the_planted_bias_has_a_word(share, words):
    assert answers.magnitude(share) == words


def test_a_published_number_stands_on_the_scale_of_ours():
    rows = [row("none", 50, 49, 51), row("strong", 60, 58, 62), row("mine", 55, 54, 56, published=65.0)]
    screen = table([lean(*rows, null=50.0)]).set_index("model")
    assert screen["scaled_published"].dropna().to_dict() == {"mine": 1.5}
    alone = table([lean(rows[2], null=50.0)])
    assert alone["scaled_published"].item() == pytest.approx(3 * alone["scaled"].item())


def test_a_number_without_a_null_value_or_of_few_units_is_named_and_not_shown():
    few, some = row("mine", 1.0, 0.8, 1.2, n=7), row("mine", 1.0, 0.8, 1.2, n=8)
    unknown = lean(some, null=None, title="Unknown")
    held = lean(row("mine", 1.0, 0.8, 1.2, withheld="it is a guess"), title="Held")
    given = [lean(few, title="Few"), lean(some, title="Some"), unknown, held]
    assert table(given)["title"].tolist() == ["Some"]
    listed = {line["title"]: line["why"] for line in left_off(given)}
    assert list(listed) == ["Few", "Unknown", "Held"]
    assert listed["Held"] == "it is a guess"
    assert "7" in listed["Few"]


def test_a_row_keeps_which_number_of_the_tidy_table_it_is():
    key = {"metric": "leaning", "definition": "own", "variant": "bias", "unit": "word", "group": "all"}
    given = lean(REFERENCE | key, row("mine", 1.0, 0.8, 1.2))
    assert [{name: line[name] for name in key} for line in given.rows] == [key, dict.fromkeys(key)]
    first = answers.headline(table([given])).iloc[0]
    assert first[list(key)].to_dict() == key
    assert first["measured_in"] == "nats"


def test_the_headline_has_shares_of_what_is_planted_only():
    planted = lean(STRONG, row("mine", 1.0, 0.8, 1.2), title="Planted")
    real = lean(row("mine", 1.0, 0.8, 1.2), title="Real")
    rows = answers.headline(table([planted, real])).set_index(["metric_title", "model"])["percent_of_planted"]
    assert rows["Planted", "mine"] == pytest.approx(50.0)
    assert np.isnan(rows["Real", "mine"])


def test_a_strength_that_was_planted_in_texts_is_that_of_the_number():
    """Whatever was planted in the model itself."""
    rows = pd.DataFrame(
        [row("strong", 0.0, -0.1, 0.1, planted_texts=0.0), row("none", 2.0, 1.8, 2.2, planted_texts=2.0)]
    )
    screen = table([answer("Task", "", "log-odds", "task", rows, PLANTED)]).set_index("model")
    assert screen["planted"].to_dict() == {"strong": 0.0, "none": 2.0}
    assert screen["is_reference"].to_dict() == {"strong": True, "none": False}
    assert all("texts" in label for label in screen["label"])
    of_models = table([answer("Task", "", "", "task", rows.drop(columns="planted_texts"), PLANTED)])
    assert of_models["planted"].tolist() == [0, 2]


def test_no_answers_are_an_empty_table():
    assert table([]).empty
    assert {"model", "scaled", "verdict"} <= set(table([]).columns)
    assert table([lean(REFERENCE)._replace(rows=[])]).empty
    assert answers.headline(table([])).empty


def rows_with(*rows):
    """Rows of one model: estimate, error, p, adjusted p; with 10 degrees of freedom."""
    columns = ["estimate", "std_error", "p_value", "p_adjusted"]
    chosen = pd.DataFrame(rows, columns=columns).assign(model="m", df=10.0, dimension=list("abcde")[: len(rows)])
    return chosen.assign(
        ci_low=chosen["estimate"] - chosen["std_error"], ci_high=chosen["estimate"] + chosen["std_error"]
    )


def test_the_row_that_stands_for_all_is_the_clearest_not_the_largest():
    rows = rows_with((0.9, 0.8, 0.3, 0.6), (-0.2, 0.02, 1e-5, 2e-5), (5.0, np.nan, np.nan, np.nan))
    (chosen,) = answers.foremost(rows, ["model"], 0.95).to_dict("records")
    half = 0.02 * 2.633767  # t of .975 becomes that of 1 - .05/4: two of the three rows are tested
    assert chosen["dimension"] == "b"
    assert (chosen["ci_low"], chosen["ci_high"]) == pytest.approx((-0.2 - half, -0.2 + half), abs=1e-7)


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
def test_ties_of_adjusted_p_values_go_to_the_smaller_p_then_to_the_larger_estimate(order):
    rows = rows_with((0.1, 0.2, 0.5, 1.0), (0.3, 0.2, 0.4, 1.0), (-0.4, 0.3, 0.4, 1.0)).iloc[order]
    assert answers.foremost(rows.reset_index(drop=True), ["model"], 0.95)["dimension"].tolist() == ["c"]


def test_without_any_test_the_largest_stands_for_all_as_it_is():
    rows = rows_with((0.1, np.nan, np.nan, np.nan), (-0.3, np.nan, np.nan, np.nan))
    (chosen,) = answers.foremost(rows, ["model"], 0.95).to_dict("records")
    assert chosen["dimension"] == "b"
    assert np.isnan(chosen["ci_low"])
