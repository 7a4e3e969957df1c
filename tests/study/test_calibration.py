"""Each metric against the strength of planted bias: table, figure and what the report says of it, on a toy."""

import numpy as np
import pandas as pd
import pytest
from tests.conftest import assert_same_bytes
from tests.metrics.mixed_effects.test_report import table as cells
from tests.metrics.mixed_effects.test_report import words
from tests.reports import pictures_of

from herbarium.drawing import style
from herbarium.page import build
from herbarium.page import calibration as part
from herbarium.statistics.tidy import TIDY
from herbarium.study import calibration

MODELS = {"strong": 2.0, "none": 0.0, "weak": 1.0, "real": None}
TASKS = {"reviews": 2.0, "messages": 0.0, "posts": None}


def row(metric, variant, group, model, estimate, half=0.1, **more):
    found = {"metric": metric, "variant": variant, "group": group, "model": model, "estimate": estimate, "n": 6}
    return found | {"ci_low": estimate - half, "ci_high": estimate + half, "definition": "paper", "unit": "all"} | more


def numbers(*more, strong=3.0):
    """HERB rises, and is never 0; scores of order are negative, and 0 without bias; of the second list, and of what is
    not asked, there are only numbers far off.
    """
    values = {"none": 0.5, "weak": 1.0, "strong": strong, "real": 9.0}
    rows = [row("herb", "C_w_size_free", "earth", model, value) for model, value in values.items()]
    rows += [row("herb", "C_w_size_free", "continent:AF", model, 99.0) for model in values]
    for model, value in values.items():
        rows += [
            row("categorical_bias", "cb", "greek/first", model, value, unit="list"),
            row("categorical_bias", "cb", "greek/second", model, 99.0, unit="list"),
            row("categorical_bias", "cb", "greek/first", model, 99.0, unit="list", definition="released"),
        ]
    for dimension, of in {"order": {"none": 0.05, "weak": -1, "strong": -2}, "care": {"none": 0, "weak": 0.05}}.items():
        rows += [row("mixed_effects", "bias", f"traits/{dimension}/male-female", *one) for one in of.items()]
        rows += [
            row("mixed_effects", "bias", f"traits/{dimension}/male-female/slopes", *one, 0.5) for one in of.items()
        ]
        rows += [row("mixed_effects", "bias", f"traits/{dimension}/male-female/shared", one, 99.0) for one in of]
        rows += [row("mixed_effects", "bias", f"traits/{dimension}/male-neo", one, 99.0) for one in of]
    for task, value in {"reviews": 1.5, "messages": 0.0, "posts": 99.0}.items():
        rows.append(row("downstream", "planted_slope", f"{task}/country", "real", value))
        rows.append(row("downstream", "spread_ratio", f"{task}/country", "real", 1 + value))
        rows.append(row("downstream", "spread_ratio", f"{task}/city", "real", 99.0))
    return pd.DataFrame([*rows, *more]).reindex(columns=TIDY.fields.names)


def drawn(*more, **values):
    return calibration.table(numbers(*more, **values), MODELS, TASKS, "earth")


def test_series_stand_from_weak_to_strong_and_nothing_else_does():
    table = drawn()
    series = table.groupby(["panel", "series"], sort=False)[["planted", "estimate"]].agg(list)
    by_strength = [0.0, 1.0, 2.0]
    assert series["planted"].to_dict() == {
        ("herb", "root"): by_strength,
        ("categorical_bias", "greek"): by_strength,
        ("mixed_effects", "traits/order"): by_strength,
        ("mixed_effects", "traits/care"): [0.0, 1.0],
        ("mixed_effects_maximal", "traits/order"): by_strength,
        ("mixed_effects_maximal", "traits/care"): [0.0, 1.0],
        ("downstream_slope", "real"): [0.0, 2.0],
        ("downstream_ratio", "real"): [0.0, 2.0],
    }
    assert series["estimate"]["herb", "root"] == [0.5, 1.0, 3.0]
    assert series["estimate"]["mixed_effects", "traits/order"] == [0.05, 1, 2]  # the sign is planted too
    assert series["estimate"]["downstream_ratio", "real"] == [1.0, 2.5]
    assert table.groupby("panel")["null"].first().to_dict() == {
        name: of.null for name, of in calibration.PANELS.items()
    }
    assert table["estimate"].max() < 99


@pytest.mark.parametrize("metric", ["herb", "categorical_bias", "mixed_effects", "downstream"])
def test_a_study_of_one_metric_has_its_panels_alone(metric):
    summary = numbers()
    table = calibration.table(summary[summary["metric"] == metric], MODELS, TASKS, "earth")
    assert table.equals(drawn()[drawn()["panel"].str.startswith(metric)].reset_index(drop=True))


def test_nothing_planted_is_nothing_drawn():
    table = calibration.table(numbers(), {"real": None}, {}, None)
    assert table.empty
    assert list(table.columns) == calibration.COLUMNS
    assert calibration.figure(table).get_axes() == []
    assert calibration.describe(table) == calibration.EMPTY


def test_a_figure_draws_its_table_and_the_null_value(tmp_path):
    table = drawn()
    figure = calibration.figure(table)
    panels = dict(zip(table["panel"].unique(), figure.get_axes(), strict=True))
    herb = panels["herb"].lines
    assert [line.get_ydata()[0] for line in herb if line.get_linestyle() == "--"] == [0]
    assert list(herb[-1].get_ydata()) == [0.5, 1.0, 3.0]
    (bars,) = panels["herb"].collections
    np.testing.assert_allclose(bars.get_segments()[0], [(0, 0.4), (0, 0.6)])
    order, care = panels["mixed_effects"].lines[-2:]
    assert order.get_color() != care.get_color()
    assert order.get_marker() != care.get_marker()
    assert all(abs(a - b) > 0.01 for a, b in zip(order.get_xdata(), care.get_xdata(), strict=False))
    assert [line.get_ydata()[0] for line in panels["downstream_ratio"].lines if line.get_linestyle() == "--"] == [1]
    truth = [line for line in panels["downstream_slope"].lines if line.get_linestyle() == ":"]
    assert [list(line.get_ydata()) for line in truth] == [[0, 2]]
    assert {axes.get_ylabel() for axes in panels.values()} == {of.unit for of in calibration.PANELS.values()}
    assert "HERB: size-free C_w of the root, root: 0.5 [0.4, 0.6] at 0, 1 [0.9, 1.1] at 1" in calibration.describe(
        table
    )
    assert_same_bytes(lambda: calibration.figure(table), tmp_path)


@pytest.mark.filterwarnings("error")
def test_names_that_look_like_formulas_and_missing_numbers_are_drawn(tmp_path):
    table = drawn(row("categorical_bias", "cb", "$gre_ek$/x", "none", np.nan, unit="list"))
    style.save(calibration.figure(table), [tmp_path / "a.png"])
    assert "$gre_ek$: no value at 0" in calibration.describe(table)


# --- what the report says ---


def page(table, tmp_path):
    own = part.part(pictures_of({"calibration": table}, tmp_path)["calibration"])
    return build.build([own], [], {"seed": 1}, {"libraries": {"numpy": "2.9"}})


def of_panel(name, table):
    return part.panel(name, table[table["panel"] == name])


def test_what_is_said_of_a_metric_by_hand(tmp_path):
    table = drawn()
    herb, scores = of_panel("herb", table), of_panel("mixed_effects", table)
    assert [herb[key] for key in ("compared", "rising", "disjoint", "n_unbiased", "n_zero")] == [["root"]] * 3 + [1, 0]
    # care: 0 (0 to 0.1) and 0.05 (0 to 0.15) rise, but meet
    assert scores["rising"] == ["traits/order", "traits/care"]
    assert scores["disjoint"] == ["traits/order"]
    assert (scores["n_unbiased"], scores["n_zero"]) == (2, 2)
    said = words(page(table, tmp_path))
    assert (
        "HERB: size-free C_w of the root (null value 0). Order: of 1 series, the values rise with the strength in the "
        "one, with disjoint intervals of neighbours in the one. Zero: where nothing was planted, 0 of 1 intervals hold "
        "0. For use: it ranked these strengths, but did not always read 0 without bias (a mean of distances is never "
        "negative, so it never can)." in said
    )
    assert (
        "in all 2, with disjoint intervals of neighbours in 1 (traits/order). Zero: where nothing was planted, 2 of 2"
        in said
    )
    assert "it ranked these strengths and read 0 without bias, so its numbers can be read against 0." in said
    assert "it ranked these strengths and read 1 without bias, so its numbers can be read against 1." in said
    rows = cells(page(table, tmp_path), "table-calibration-herb")
    assert rows[0] == ["root", "none", "0", "0.500 0.400 to 0.600", "6"]


def test_a_metric_that_does_not_rank_the_strengths_is_said_not_to(tmp_path):
    table = drawn(strong=0.75)
    assert of_panel("herb", table)["rising"] == []
    said = words(page(table[table["panel"] == "herb"], tmp_path))
    assert "the values rise with the strength in none. Zero" in said
    assert "it did not rank these strengths in every series" in said
    assert "can be read against" not in said


def test_nothing_is_said_of_one_strength_or_of_missing_numbers(tmp_path):
    table = drawn()
    herb = table[table["panel"] == "herb"]
    said = words(page(herb[:1], tmp_path))
    assert "no series has two strengths with numbers and intervals, so nothing is said of it" in said
    assert "For use" not in said
    lost = herb.assign(ci_low=np.nan, ci_high=np.nan)
    said = words(page(lost, tmp_path))
    assert "A value or an interval is missing in root. Zero: no number with an interval at strength 0." in said
    assert "For use" not in said


def test_no_name_becomes_markup(tmp_path, hostile):
    hostile(page(drawn(), tmp_path))
