"""A planted model that learned almost nothing of its text is no reference, and nothing is compared with it."""

import pandas as pd
import pytest

from herbarium.report import answers, reference
from herbarium.report.part import Part

PLANTED = {"none": 0.0, "weak": 0.5, "strong": 2.0}


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
    faults = reference.withdrawn(calibration(lean=(None, 0.7, strong)))
    assert (faults == {}) == (is_reference or strong is None)


def test_shares_of_several_series_are_one_text():
    table = pd.concat([calibration(lean=(None, 0.2, share)) for share in (0.1, 0.5)])
    frame = reference.shares(table).set_index("model")["learned"]
    assert frame.to_dict() == pytest.approx({"weak": 0.2, "strong": 0.3})


def test_a_withdrawn_reference_has_no_row_and_no_mark_on_the_screen():
    faults = reference.withdrawn(calibration(lean=(None, 0.01, 0.0006), other=(None, 0.7, 0.5)))
    assert faults == {"lean": {"model": "strong", "learned": 0.0006}}
    lean, other = (part(name) for name in ("lean", "other"))
    without, kept = reference.without_reference([lean, other], faults)
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
        [("perplexity", "perplexity", "mine", perplexity), ("perplexity", "log_perplexity", "mine", 3.0)],
        columns=["metric", "variant", "model", "estimate"],
    )
    chance = reference.at_chance(summary, [{"name": "mine", "vocabulary": 30_522}])
    (result,) = reference.without_chance([part("lean")], chance)
    models = set(answers.table(result.answers)["model"])
    assert models == ({"none", "strong"} if is_chance else {"none", "strong", "mine"})
    assert (chance == {}) != is_chance


def test_a_model_whose_perplexity_nobody_measured_is_left_alone():
    summary = pd.DataFrame({"metric": ["herb"], "variant": ["D2"], "model": ["mine"], "estimate": [1e9]})
    assert reference.at_chance(summary, [{"name": "mine", "vocabulary": 10}]) == {}
