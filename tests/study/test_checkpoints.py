"""Along training: the numbers of each checkpoint, where they stand on the axis, the figure, the room of the page."""

import numpy as np
import pytest
from tests.reports import pictures_of
from tests.study.figure_toys import STEPS, TRAININGS, along_training, along_two_trainings, from_each_to_the_next

from herbarium.drawing.printed import printed
from herbarium.page.checkpoints import checkpoints as room
from herbarium.study import checkpoints
from herbarium.study.config import load


def test_each_checkpoint_has_one_row_a_measure_in_the_order_of_training():
    table = along_training()
    assert list(table.columns) == checkpoints.COLUMNS
    assert list(table["measure"]) == ["D²"] * 4 + ["log perplexity"] * 4
    rows = table[table["measure"] == "D²"]
    assert list(rows["model"]) == [f"run-{step}" for step in STEPS]
    assert list(rows["step"]) == [0, 1, 512, 143000]
    np.testing.assert_array_equal(rows["estimate"], [0, 1, np.nan, 3])
    np.testing.assert_array_equal(rows["ci_low"], [-0.5, 0.5, np.nan, 2.5])
    assert set(rows["null"]) == {0}


@pytest.mark.parametrize(
    ("names", "steps", "places", "ticks"),
    [
        (["step0", "step1", "step100", "step1000"], [0, 1, 100, 1000], [-1, 0, 2, 3], ["0", "1", "10", "100", "1,000"]),
        (["step300", "step20", "step1"], [1, 20, 300], [0, np.log10(20), np.log10(300)], ["1", "10", "100"]),
        (["checkpoint-10", "checkpoint-1000"], [10, 1000], [10, 1000], []),
        (["half", "end"], [1, 2], [1, 2], ["half", "end"]),
        (["epoch1-step2", "epoch2-step4"], [1, 2], [1, 2], ["epoch1-step2", "epoch2-step4"]),
        (["1", "01"], [1, 2], [1, 2], ["1", "01"]),
    ],
)
def test_where_checkpoints_stand(names, steps, places, ticks):
    table = along_training({"run": {f"run-{name}": name for name in names}})
    rows = table[table["measure"] == "D²"]
    assert list(rows["step"]) == steps
    at, text = checkpoints.places(rows)
    np.testing.assert_allclose(at, places)
    assert list(text.values()) == ticks


def test_trainings_of_unlike_names_stand_by_their_places():
    table = along_training({"a": {"a-1": "1", "a-5": "5"}, "b": {"b-half": "half", "b-end": "end"}})
    assert set(table["axis"]) == {checkpoints.ORDER}
    assert checkpoints.places(table)[1] == {}


def test_a_figure_draws_its_table_and_the_null_value():
    table = along_two_trainings()
    figure = printed(checkpoints.panels(table), checkpoints.EMPTY)
    bias, cost = figure.get_axes()
    assert [line.get_ydata()[0] for line in bias.lines if line.get_linestyle() == "--"] == [0]
    assert not [line for line in cost.lines if line.get_linestyle() == "--"]
    assert "D², run: 0 [−0.5, 0.5] at step0, 3 [2.5, 3.5] at step143000." in checkpoints.describe(table)
    panels = checkpoints.panels(table)
    assert [panel["title"] for panel in panels] == ["D²", "log perplexity"]
    assert panels[0]["data"][0]["x"] == pytest.approx([-1, 0, np.log10(512), np.log10(143000)])
    assert [len(panel["layout"]["shapes"]) for panel in panels] == [1, 0]


def test_nothing_measured_twice_is_nothing_drawn():
    table = checkpoints.table(from_each_to_the_next(["other", "another"]), TRAININGS)
    assert table.empty
    assert checkpoints.panels(table) == []
    assert checkpoints.describe(table) == checkpoints.EMPTY


def test_the_page_says_what_was_measured_along_training(tmp_path):
    picture = pictures_of({"checkpoints": along_training()}, tmp_path)["checkpoints"]
    html = room(picture).html
    assert "run: 4 checkpoints, step0 to step143000." in html
    assert "log perplexity" in html


def test_checkpoints_of_a_training_are_compared_one_by_one_and_seeds_are_not(values):
    entry = {"hub": "org/name", "kind": "masked", "checkpoints": ["a", "b", "c"]}
    models = {"run": entry, "seeds": entry | {"checkpoints_are": "seeds"}}
    study = load({"models": models, "seed": values["seed"]})
    assert study.pairs == []
    assert compared(study, study.models) == [("run-a", "run-b"), ("run-b", "run-c")]
    # of a metric that measures some of them
    assert compared(study, ["run-a", "run-c", "seeds-a"]) == [("run-a", "run-c")]
    # none is compared twice
    study = load({"models": models, "seed": values["seed"], "comparisons": [["run-a", "run-b"], ["run-a", "run-c"]]})
    assert compared(study, study.models) == [("run-a", "run-b"), ("run-a", "run-c"), ("run-b", "run-c")]


def compared(study, models):
    return [pair[2:] for pair in study.compared(models)]
