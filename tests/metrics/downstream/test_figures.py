"""Figures of downstream tasks: tables against the numbers that they are of, drawings against tables."""

import re

import numpy as np
import pandas as pd
import pytest
from tests.drawing.marks import assert_lays_out, assert_shows, assert_stands_without_numbers
from tests.metrics.downstream.toy import (
    COUNTRIES,
    GEOJSON,
    LEAN,
    MEASURED,
    MODELS,
    PREFIXES,
    STRENGTHS,
    WHERE,
    N,
    by_place,
    numbers_of,
    task_prefixes,
    titles,
)

from herbarium.drawing import maps as world
from herbarium.drawing import style, tasks
from herbarium.drawing.printed import printed
from herbarium.metrics.downstream.figures import map as downstream_map
from herbarium.metrics.downstream.figures import planted as downstream_planted
from herbarium.metrics.downstream.figures import ranking as downstream_ranking
from herbarium.metrics.downstream.figures import shared

pytestmark = pytest.mark.slow  # draws maps


@pytest.fixture(scope="module")
def numbers():
    return numbers_of()


# --- what they share ---


def test_effects_are_those_of_the_tidy_rows_and_null_where_there_are_none(numbers):
    lost = numbers[~((numbers["model"] == "hub") & (numbers["group"] == "reviews/country:FR"))]
    rows = shared.effects(lost, PREFIXES, WHERE, ["country", "nonsense"])
    assert len(rows) == len(MEASURED) * (N + 4)
    for (task, model), row in rows[rows["unit"] == "country"].groupby(["task", "model"], sort=False):
        tidy = by_place(lost, "excess", task, model).reindex(row["region"])
        for ours, theirs in (("excess", "estimate"), *((name,) * 2 for name in ("ci_low", "ci_high", "p_adjusted"))):
            np.testing.assert_array_equal(row[ours], tidy[theirs])
    null = rows[["excess", "n"]].isna().all(axis=1)
    assert rows.loc[null, ["task", "model", "region"]].to_numpy().tolist() == [["reviews", "hub", "country:FR"]]


# --- map ---


@pytest.fixture(scope="module")
def map_table(numbers):
    return downstream_map.table(numbers, PREFIXES, WHERE, GEOJSON)


def test_map_has_a_panel_a_task_and_model_and_a_scale_a_task(map_table):
    figure = downstream_map.figure(map_table, GEOJSON)
    first = [title.splitlines()[0] for title in titles(figure)]
    assert first == ["none (unbiased reference)", "strong (planted, strength 2)", "hub"] * 2
    norms = [panel.collections[1].norm for panel in figure.axes if len(panel.collections) == 3]
    assert len(norms) == 6
    for of_task in (norms[:3], norms[3:]):
        assert len({(norm.vmin, norm.vmax) for norm in of_task}) == 1
        assert of_task[0].vmin == -of_task[0].vmax < 0
    assert norms[0].vmax > norms[3].vmax


def test_each_country_has_the_colour_of_its_effect_and_dots_where_nothing_was_found(map_table):
    panel = downstream_map.figure(map_table, GEOJSON).axes[0]
    grey, coloured, dotted = panel.collections
    rows = map_table[(map_table["task"] == "reviews") & (map_table["model"] == "none") & map_table["has_polygon"]]
    assert sorted(coloured.get_array()) == pytest.approx(sorted(rows["excess"]))
    assert len(grey.get_paths()) + len(coloured.get_paths()) == len(GEOJSON["features"])
    assert rows["is_found"].tolist() == (rows["p_adjusted"] < 0.05).tolist()
    assert 0 < len(dotted.get_paths()) == (~rows["is_found"]).sum() < len(rows)
    france = world.equal_earth([[2.5, 47.0]])[0]
    (place,) = (i for i, path in enumerate(coloured.get_paths()) if path.contains_point(france))
    assert [coloured.get_array()[place]] == rows.loc[rows["iso2"] == "FR", "excess"].tolist()
    is_dotted = any(path.contains_point(france) for path in dotted.get_paths())
    assert [is_dotted] == (~rows.loc[rows["iso2"] == "FR", "is_found"]).tolist()


def test_map_says_who_has_no_shape_and_greys_who_has_no_value(map_table):
    assert downstream_map.without_polygon(map_table) == ["Country AD"]
    figure = downstream_map.figure(map_table, GEOJSON)
    assert "1: Country AD." in figure.get_supxlabel().replace("\n", " ")
    lost = map_table.assign(excess=map_table["excess"].where(map_table["iso2"] != "FR"), is_found=False)
    grey, coloured, _ = downstream_map.figure(lost, GEOJSON).axes[0].collections
    assert len(coloured.get_paths()) == N - 2
    assert len(grey.get_paths()) == len(GEOJSON["features"]) - N + 2


def test_hierarchy_without_codes_has_no_map(numbers):
    prefixes = {task: prefix.assign(iso2=None) for task, prefix in PREFIXES.items()}
    table = downstream_map.table(numbers, prefixes, WHERE, GEOJSON)
    assert table.empty
    assert downstream_map.figure(table, GEOJSON).texts[0].get_text() == downstream_map.EMPTY
    assert downstream_map.describe(table) == downstream_map.EMPTY


# --- ranking ---


@pytest.fixture(scope="module")
def ranking(numbers):
    return downstream_ranking.table(numbers, PREFIXES, WHERE)


def test_ranking_is_by_effect_and_the_band_is_of_the_nonsense_names(ranking, numbers):
    rows = ranking[(ranking["task"] == "reviews") & (ranking["model"] == "strong")]
    countries = rows[rows["unit"] == "country"]
    assert countries["rank"].tolist() == list(range(1, N + 1))
    assert countries["excess"].is_monotonic_decreasing
    nonsense = numbers[
        (numbers["variant"] == "excess") & (numbers["unit"] == "nonsense") & (numbers["model"] == "strong")
    ]
    nonsense = nonsense.loc[nonsense["group"].str.startswith("reviews/"), "estimate"].to_numpy()
    low, high = rows[["band_low", "band_high"]].iloc[0]
    assert [low, high] == pytest.approx([nonsense.mean() + side * 2 * nonsense.std(ddof=1) for side in (-1, 1)])
    assert rows["is_beyond"].tolist() == [not low <= excess <= high for excess in rows["excess"]]
    assert rows["unit"].unique().tolist() == ["country", "nonsense"]


def test_equal_effects_share_a_rank_and_a_lost_one_has_none(numbers):
    where = WHERE[:1]
    tied = numbers.copy()
    is_effect = (tied["variant"] == "excess") & (tied["model"] == "none")
    value = tied.loc[is_effect & (tied["group"] == "reviews/country:FR"), "estimate"].item()
    tied.loc[is_effect & (tied["group"] == "reviews/country:DE"), "estimate"] = value
    tied.loc[is_effect & (tied["group"] == "reviews/country:IN"), "estimate"] = np.nan
    rows = downstream_ranking.table(tied, PREFIXES, where).query("unit == 'country'").set_index("region")
    assert rows.loc["country:FR", "rank"] == rows.loc["country:DE", "rank"]
    assert rows.index[-1] == "country:IN"
    assert rows["rank"].isna().sum() == 1


def test_a_ranking_has_all_countries_and_the_names_at_either_end(ranking):
    panel = downstream_ranking.panels(ranking)[1]
    own = ranking[(ranking["task"] == "reviews") & (ranking["model"] == "strong")]
    countries = own[own["unit"] == "country"]
    (dots,) = panel["data"]
    assert dots["x"] == pytest.approx(countries["excess"].tolist(), rel=1e-5)
    assert dots["y"] == sorted(dots["y"])
    axis = panel["layout"]["yaxis"]
    lines = [text for _, text in sorted(zip(axis["tickvals"], axis["ticktext"], strict=True))]
    assert lines[12] == f"⋮  {N - 24} more"
    ends = pd.concat([countries[:12], countries[-12:]])
    assert [*lines[:12], *lines[13:]] == [f"{row.rank}  {row.name}" for row in ends.itertuples(index=False)]
    (band,) = panel["layout"]["shapes"]
    assert [band["x0"], band["x1"]] == pytest.approx(own[["band_low", "band_high"]].iloc[0].tolist())


def test_filled_is_what_was_found(ranking):
    rows = ranking[(ranking["task"] == "messages") & (ranking["model"] == "none") & (ranking["unit"] == "country")]
    (dots,) = downstream_ranking.panels(ranking)[3]["data"]
    assert ["open" not in symbol for symbol in dots["marker"]["symbol"]] == rows["is_found"].tolist()


# --- planted ---


@pytest.fixture(scope="module")
def planted(numbers):
    return downstream_planted.table(numbers, PREFIXES, WHERE, LEAN, STRENGTHS)


def test_planted_has_lean_and_measured_effect_of_every_country(planted, numbers):
    assert len(planted) == 6 * N
    rows = planted[(planted["task"] == "reviews") & (planted["model"] == "hub")]
    assert rows["lean"].tolist() == LEAN[rows["region"]].tolist()
    assert rows["planted_effect"].to_numpy() == pytest.approx(1.5 * rows["lean"].to_numpy())
    tidy = by_place(numbers, "excess", "reviews", "hub").loc[rows["region"]]
    assert rows[["excess", "ci_low"]].to_numpy().tolist() == tidy[["estimate", "ci_low"]].to_numpy().tolist()


def test_tasks_that_are_not_planted_are_left_out(numbers):
    table = downstream_planted.table(numbers, PREFIXES, WHERE, LEAN, STRENGTHS | {"messages": None})
    assert table["task"].unique().tolist() == ["reviews"]
    none = downstream_planted.table(numbers, PREFIXES, WHERE, LEAN, dict.fromkeys(STRENGTHS))
    assert downstream_planted.describe(none, numbers) == downstream_planted.EMPTY
    assert downstream_planted.panels(none, numbers) == []


def test_what_was_planted_is_seen_to_be_found_in_one_task_and_not_in_the_other(planted, numbers):
    panels = downstream_planted.panels(planted, numbers)
    assert len(panels) == 6
    assert len({tuple(panel["layout"]["yaxis"]["range"]) for panel in panels}) == 1
    for panel, (_, item) in zip(panels, tasks.by_model(planted), strict=True):
        dots, line = panel["data"]
        np.testing.assert_allclose(dots["x"], item["lean"], rtol=1e-5)
        np.testing.assert_allclose(dots["y"], item["excess"], rtol=1e-5)
        np.testing.assert_allclose(line["y"], item["strength"].iloc[0] * np.array(line["x"]), rtol=1e-5)
    slopes = numbers[numbers["variant"] == "planted_slope"].set_index(["group", "model"])
    low, high = (slopes[bound].unstack("model") for bound in ("ci_low", "ci_high"))
    assert (low.loc["reviews/country"] > 1).all()
    assert (high.loc["messages/country"] < 0.2).all()
    words = downstream_planted.describe(planted, numbers)
    value = style.with_interval(*slopes.loc[("reviews/country", "hub"), ["estimate", "ci_low", "ci_high"]])
    assert re.search(rf"reviews \(planted strength 1.5\), hub: .*slope = {re.escape(value)} log-odds", words)


# --- all of them ---


@pytest.mark.parametrize("n", [1, 2])
def test_few_countries_one_nonsense_name_and_no_interval_are_drawn(n):
    prefixes = task_prefixes(COUNTRIES[:n], nonsense=("Bly",))
    numbers = numbers_of(MEASURED[:1], prefixes, {"replicates": 0, "level": 0.9})
    of_task = {"reviews": prefixes}, tasks.places(MEASURED[:1], MODELS)
    of_map, of_ranking = downstream_map.table(numbers, *of_task, GEOJSON), downstream_ranking.table(numbers, *of_task)
    of_planted = downstream_planted.table(numbers, *of_task, LEAN, STRENGTHS)
    drawn_ranking = printed(downstream_ranking.panels(of_ranking), downstream_ranking.EMPTY)
    drawn_planted = printed(downstream_planted.panels(of_planted, numbers), downstream_planted.EMPTY)
    for figure, words in (
        (downstream_map.figure(of_map, GEOJSON), downstream_map.describe(of_map)),
        (drawn_ranking, downstream_ranking.describe(of_ranking)),
        (drawn_planted, downstream_planted.describe(of_planted, numbers)),
    ):
        assert_lays_out(figure)
        assert "hub" in words
        assert "nan" not in words
    assert len(drawn_ranking.axes[0].patches) == 0  # one name has no band


# --- panels ---


def test_a_panel_a_task_and_model_has_the_numbers_of_the_figure(map_table, ranking, planted, numbers):
    def of_planted(table):
        return downstream_planted.panels(table, numbers)

    drawn = ((downstream_map.panels, map_table), (downstream_ranking.panels, ranking), (of_planted, planted))
    for panels, table in drawn:
        assert len({panel["title"] for panel in panels(table)}) == len(MEASURED)
    with_shape = map_table[map_table["has_polygon"]]
    assert_shows(downstream_map.panels(map_table), with_shape, "excess", "z")
    bounds = ("ci_low", "ci_high")
    assert_shows(downstream_ranking.panels(ranking), ranking[ranking["rank"].notna()], "excess", "x", bounds)
    assert_shows(of_planted(planted), planted, "excess", "y", bounds)
    for panels, table in drawn:
        assert_stands_without_numbers(panels, table, ["excess", "ci_low", "ci_high"])
