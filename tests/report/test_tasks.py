"""What parts on tasks share: the order of models, their rows, and numbers as text."""

import numpy as np
import pandas as pd

from herbarium.report import tasks

LABELS = {"none": "none (unbiased reference)", "strong": "strong (planted, strength 2)", "theirs": "theirs"}


def row(model, group, estimate=0.1, note=None):
    place = {"model": model, "variant": "effect", "unit": "country", "group": group, "note": note}
    return tasks.ABSENT | place | {"estimate": estimate}


def test_planted_models_come_by_strength_before_the_others():
    measured = [("a", "strong"), ("a", "theirs"), ("b", "none"), ("b", "strong")]
    assert list(tasks.labels(measured, {"strong": 2.0, "none": 0.0, "other": None}).items()) == list(LABELS.items())


def test_rows_are_those_of_the_task_by_label():
    numbers = pd.DataFrame(
        [row("strong", "talk/pe"), row("none", "talk/pe", 0.2, "few"), row("none", "talks/pe"), row("lost", "talk/pe")]
    )
    result = dict(tasks.of_models(numbers, "talk", LABELS))
    assert list(result) == ["none (unbiased reference)", "strong (planted, strength 2)"]
    assert list(result["none (unbiased reference)"]) == [("effect", "country", "pe")]
    assert result["none (unbiased reference)"]["effect", "country", "pe"]["note"] == "few"
    assert result["strong (planted, strength 2)"]["effect", "country", "pe"]["note"] is None


def test_what_rounding_leaves_of_0_is_0():
    cell = tasks.percent(tasks.ABSENT | {"estimate": -3e-17, "ci_low": -1e-17, "ci_high": 2e-17})
    assert cell == {"value": "0.000", "low": "0.000", "high": "0.000"}


def test_what_is_not_there_is_no_text():
    assert (tasks.share(np.nan), tasks.count(np.nan)) == (None, None)
    assert (tasks.share(-0.125), tasks.count(1234.0)) == ("−12.5", "1,234")
    shown = tasks.correlation(tasks.ABSENT | {"estimate": -0.5, "n": 40, "p_adjusted": 0.0001})
    assert (shown["value"], shown["low"], shown["n"], shown["p"]) == ("−0.500", None, "40", "< 0.001")
