"""What a run of a study of ours says of its cost before it begins."""

from pathlib import Path

import pytest

from herbarium.core.places import CLONE
from herbarium.study import ahead

EVERYTHING, CORE = (CLONE / name for name in ahead.TOKENS)
# A BERT-base reads ten million tokens an hour on it.
SPEED = 2 * 86e6 * 10e6 / 0.4 / 3600


def told(files, results):
    return ahead.sentences(files, results, lambda: ("a card", SPEED))


def test_hours_by_hand(tmp_path):
    whole, smaller = told([CORE, EVERYTHING], tmp_path)
    assert "config/everything.yaml takes some 17 weeks on this machine (a card)" in whole  # 2,900 hours
    assert "config/core.yaml, some 400 hours" in smaller
    (alone,) = told([CORE], tmp_path)
    assert "some 400 hours" in alone


def test_an_estimate_takes_the_place_of_the_reckoning(tmp_path):
    (tmp_path / "estimate.csv").write_text("stage,hours\nscore,1.5\ntrain,2\nplan,\n")
    (measured,) = ahead.sentences([EVERYTHING], tmp_path, pytest.fail)
    assert "4 hours" in measured


def test_other_studies_and_those_that_have_run_are_not_told(tmp_path):
    assert told([Path("config/demo.yaml")], tmp_path) == []
    (tmp_path / "run.json").write_text("{}")
    assert told([EVERYTHING], tmp_path) == []


@pytest.mark.slow
def test_this_machine_has_a_speed():
    device, operations = ahead.speed()
    assert device
    assert operations > 1e8
