"""A planted model that learned almost nothing of its text is no reference, and nothing is compared with it."""

import pandas as pd
import pytest

from herbarium.page import answers as drawn
from herbarium.report import answers, reference
from herbarium.report.part import Part
from herbarium.study import calibration as of_study

PLANTED = {"none": 0.0, "weak": 0.5, "strong": 2.0}
KINDS = dict.fromkeys([*PLANTED, "mine"], "masked")


def calibration(**learned):
    """Rows of the primary panel of each metric: `metric=(of none, of weak, of strong)`."""
    return pd.DataFrame(
        [
            {"panel": metric, "series": "all", "model": model, "planted": PLANTED[model], "learned": share}
            for metric, shares in learned.items()
            for model, share in zip(PLANTED, shares, strict=True)
        ]
    )


def part(name):
    rows = pd.DataFrame(
        [("none", 0.01, -0.1, 0.1), ("strong", 0.02, -0.1, 0.1), ("mine", 1.0, 0.8, 1.2)],
        columns=["model", "estimate", "ci_low", "ci_high"],
    ).assign(p_adjusted=[0.4, 0.4, 0.001])
    lean_answer = answers.answer("Lean", "How far.", "nats", "lean", rows, PLANTED)
    return Part(name, name.title(), [], "", "", "", [], [], answers=[lean_answer])


@pytest.mark.parametrize(("strong", "is_reference"), [(0.0006, False), (0.24, False), (0.27, True), (None, True)])
def test_the_strongest_model_decides(strong, is_reference):
    table = calibration(lean=(None, 0.7, strong))
    for ordered in (table, table[::-1]):
        assert (reference.withdrawn(ordered, {}) == {}) == (is_reference or strong is None)


def test_shares_of_several_series_are_one_text():
    table = pd.concat([calibration(lean=(None, 0.2, share)) for share in (0.1, 0.5)])
    frame = reference.shares(table).set_index("model")["learned"]
    assert frame.to_dict() == pytest.approx({"weak": 0.2, "strong": 0.3})


def test_a_withdrawn_reference_has_no_row_and_no_mark_on_the_screen():
    faults = reference.withdrawn(calibration(lean=(None, 0.01, 0.0006), other=(None, 0.7, 0.5)), KINDS)
    assert faults == {("lean", "masked"): {"model": "strong", "learned": 0.0006}}
    lean, other = (part(name) for name in ("lean", "other"))
    without, kept = reference.without_reference([lean, other], faults, KINDS)
    assert kept == other
    table = answers.table(without.answers).set_index("model")
    assert table["verdict"].to_dict() == {"mine": answers.DIFFERENT}
    assert not answers.beside_planted(table).any()  # nothing marks the strongest planted bias
    (listed,) = answers.left_off(without.answers)
    assert "0.0006" in listed["why"]
    assert reference.lines([without, kept], faults) == [
        {"title": "Lean", "model": "strong", "learned": "0.0006", "least": "0.25"}
    ]


@pytest.mark.parametrize(
    ("perplexity", "is_chance"), [(31_000.0, True), (15_262.0, True), (15_000.0, False), (20.0, False)]
)
def test_a_model_at_chance_gets_no_verdict(perplexity, is_chance):
    summary = pd.DataFrame(
        [
            ("perplexity", "perplexity", "mine", perplexity),
            ("perplexity", "perplexity", "mine", 1e6),  # in another text, which it predicts worse
            ("perplexity", "log_perplexity", "mine", 3.0),
        ],
        columns=["metric", "variant", "model", "estimate"],
    )
    chance = reference.at_chance(summary, [{"name": "mine", "vocabulary": 30_522}])
    (result,) = reference.without_chance([part("lean")], chance)
    models = set(answers.table(result.answers)["model"])
    assert models == ({"none", "strong"} if is_chance else {"none", "strong", "mine"})
    assert (chance == {}) != is_chance


def test_what_was_withheld_before_stays_withheld():
    (given,) = part("lean").answers
    held = part("lean")._replace(answers=[given._replace(rows=[row | {"withheld": "a guess"} for row in given.rows])])
    assert reference.without_chance([held], {"mine": "large"})[0].answers[0].rows[0]["withheld"] == "a guess"


def test_a_model_whose_perplexity_nobody_measured_is_left_alone():
    summary = pd.DataFrame({"metric": ["herb"], "variant": ["D2"], "model": ["mine"], "estimate": [1e9]})
    assert reference.at_chance(summary, [{"name": "mine", "vocabulary": 10}]) == {}


# Numbers of each kind are on a scale of their own, and the unbiased masked reference is not 0.
BOTH = pd.DataFrame(
    [
        *[("masked", "none", 0.0, 0.30), ("masked", "strong", 2.0, 1.0), ("masked", "mine", None, 0.5)],
        *[("causal", "none", 0.0, 0.01), ("causal", "strong", 2.0, 10.0), ("causal", "mine", None, 0.5)],
    ],
    columns=["kind", "name", "planted", "estimate"],
).assign(p_adjusted=[0.001, 0.001, 0.001, 0.9, 0.001, 0.001], learned=[None, 0.01, None, None, 0.9, None])
BOTH["model"] = BOTH["kind"] + "-" + BOTH["name"]
RECORDS = [{"name": model, "kind": kind} for model, kind in zip(BOTH["model"], BOTH["kind"], strict=True)]
NO_SUMMARY = pd.DataFrame(columns=["metric", "variant", "model", "estimate"])


def of_both(names=("none", "strong", "mine"), models=RECORDS):
    rows = BOTH[BOTH["name"].isin(names)].assign(ci_low=BOTH["estimate"] - 0.1, ci_high=BOTH["estimate"] + 0.1)
    strengths = rows.dropna(subset="planted").set_index("model")["planted"].to_dict()
    return Part(
        "lean",
        "Lean",
        [],
        "",
        "",
        "",
        [],
        models,
        answers=[answers.answer("Lean", "How far.", "nats", "lean", rows, strengths)],
    )


def screen_of(part, calibration=None):
    (screened,) = reference.screened([part], calibration, NO_SUMMARY).parts
    return answers.table(screened.answers)


def test_a_model_is_read_beside_planted_models_of_its_kind_only():
    table = screen_of(of_both()).set_index("model")
    assert table.loc["masked-mine", "scaled"] == pytest.approx(0.5)
    assert table.loc["causal-mine", "scaled"] == pytest.approx(0.05)
    # the unbiased masked reference fails, which says nothing of causal models
    assert table.loc["masked-mine", "verdict"] == answers.WITHHELD
    assert table.loc["causal-mine", "verdict"] == answers.DIFFERENT
    assert table["title"].unique().tolist() == ["Lean, masked models", "Lean, causal models"]
    bands = [drawn.band(rows) for _, rows in drawn.blocks(drawn.placed(table.reset_index()))]
    assert bands == [pytest.approx((0.2, 0.4)), pytest.approx((-0.009, 0.011))]


def test_without_planted_models_of_its_kind_a_model_has_no_planted_scale():
    part = of_both()
    (answer,) = part.answers
    rows = [row for row in answer.rows if row["planted"] is None or row["model"].startswith("masked")]
    table = screen_of(part._replace(answers=[answer._replace(rows=rows)])).set_index("model")
    assert answers.beside_planted(table).to_dict() == {
        **dict.fromkeys(["masked-none", "masked-strong", "masked-mine"], True),
        "causal-mine": False,
    }


def test_one_scale_where_one_kind_is_measured_nothing_is_planted_or_what_is_planted_has_no_kind():
    (answer,) = of_both(["mine"]).answers
    kinds = {model["name"]: model["kind"] for model in RECORDS}
    assert reference.by_kind(answer, kinds) == [answer]
    (mixed,) = of_both().answers
    assert reference.by_kind(mixed, dict.fromkeys(kinds, "masked")) == [mixed]
    assert reference.by_kind(mixed, {"masked-mine": "masked", "causal-mine": "causal"}) == [mixed]  # as of vectors


def test_a_reference_that_learned_nothing_is_withdrawn_for_its_kind():
    planted = BOTH.dropna(subset="planted").assign(panel="lean", series="all", expected=None)
    result = reference.screened([of_both()], planted, NO_SUMMARY)
    (screened,) = result.parts
    table = answers.table(screened.answers).set_index("model")
    assert set(table.index) == {"masked-mine", "causal-none", "causal-strong", "causal-mine"}
    assert [line["model"] for line in result.withdrawn] == ["masked-strong"]
    series = of_study.by_kind(planted, {model["name"]: model["kind"] for model in RECORDS})["series"]
    assert series.tolist() == ["all, masked models"] * 2 + ["all, causal models"] * 2
    for kinds in (dict.fromkeys(planted["model"], "causal"), {}):  # {}: only the texts of tasks are planted
        assert of_study.by_kind(planted, kinds).equals(planted)
