"""The map and the forest plot of continents."""

import numpy as np
import pandas as pd
import pytest
from tests.drawing.marks import assert_lays_out
from tests.metrics.herb.figure_toys import COUNTRIES, MODELS, tidy

from herbarium.drawing import maps as world
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.metrics.herb.figures import continents as herb_continents
from herbarium.metrics.herb.figures import map as herb_map

REGIONS = pd.DataFrame(
    [
        ("earth", None, "earth", "the Earth", None),
        ("continent:AF", "earth", "continent", "Africa", None),
        ("continent:EU", "earth", "continent", "Europe", None),
        ("country:NA", "continent:AF", "country", "Namibia", "NA"),
        ("country:FR", "continent:EU", "country", "France", "FR"),
        ("country:AD", "continent:EU", "country", "Andorra", "AD"),
        ("city:1", "country:FR", "city", "Paris", None),
    ],
    columns=["region", "parent", "level", "name", "iso2"],
)
WORDS = pd.MultiIndex.from_tuples([("looks", "bald"), ("mind", "wise")], names=["topic", "description"])


def likelihoods(seed):
    index = pd.Index(REGIONS["region"][1:], name="region")
    return pd.DataFrame(np.random.default_rng(seed).normal(-4, 1, (len(index), 2)), index, WORDS)


F = {model["name"]: likelihoods(seed) for seed, model in enumerate(MODELS)}


@pytest.fixture(scope="module")
def map_table():
    return herb_map.drawn(herb_map.table(F, REGIONS, MODELS, "bald", COUNTRIES))


def test_map_values_by_hand(map_table):
    chosen = F["strong"].rename(index=REGIONS.set_index("region")["name"])
    f = {name: chosen.loc[name].tolist() for name in ("Namibia", "France", "Andorra")}
    relative = {name: bald - (bald + wise) / 2 for name, (bald, wise) in f.items()}
    mean = sum(relative.values()) / 3
    rows = map_table[map_table["model"] == "strong"].set_index("name")
    for name in f:
        assert rows.loc[name, "f"] == f[name][0]
        assert rows.loc[name, "f_relative"] == pytest.approx(relative[name])
        assert rows.loc[name, "f_deviation"] == pytest.approx(relative[name] - mean)


def test_every_country_with_a_shape_is_joined_and_every_other_listed(map_table):
    polygons = {feature["properties"]["iso2"] for feature in COUNTRIES["features"]}
    assert map_table["has_polygon"].tolist() == map_table["iso2"].isin(polygons).tolist()
    assert herb_map.without_polygon(map_table) == ["Andorra"]
    text = herb_map.figure(map_table, COUNTRIES).get_supxlabel()
    assert "1: Andorra" in text.replace("\n", " ")


def test_each_scored_country_is_coloured_by_its_own_value(map_table):
    panel = herb_map.figure(map_table, COUNTRIES).axes[0]
    grey, coloured = panel.collections
    drawn = map_table[(map_table["model"] == "none") & map_table["has_polygon"]]
    assert sorted(coloured.get_array()) == pytest.approx(sorted(drawn["f_deviation"]))
    assert len(grey.get_paths()) + len(coloured.get_paths()) == len(COUNTRIES["features"])
    france = world.equal_earth([[2.5, 47.0]])[0]
    holding = [i for i, path in enumerate(coloured.get_paths()) if path.contains_point(france)]
    assert [coloured.get_array()[i] for i in holding] == drawn.loc[drawn["iso2"] == "FR", "f_deviation"].tolist()


def test_a_refused_sentence_is_grey_and_moves_nobody_else():
    refused = F["none"].copy()
    refused.loc["country:FR", ("looks", "bald")] = np.nan
    table = herb_map.table(F | {"none": refused}, REGIONS, MODELS, "bald", COUNTRIES)
    rows = herb_map.drawn(table)
    france = rows[(rows["model"] == "none") & (rows["iso2"] == "FR")]
    assert france[["f", "f_relative", "f_deviation"]].isna().all(axis=None)
    grey, coloured = herb_map.figure(rows, COUNTRIES).axes[0].collections
    assert len(coloured.get_paths()) == 1
    assert len(grey.get_paths()) == len(COUNTRIES["features"]) - 1
    choices = herb_map.panels(table)[0]["choices"]
    bald = dict(zip(choices["locations"], choices["z"][0], strict=True))
    assert bald["FR"] is None
    assert bald["NA"] == pytest.approx(rows.set_index(["model", "iso2"]).loc[("none", "NA"), "f_deviation"], rel=1e-2)


def test_a_map_of_another_description_is_what_it_would_be_drawn_as():
    table = herb_map.table(F, REGIONS, MODELS, "bald", COUNTRIES)
    assert table["description"].unique().tolist() == ["bald", "wise"]
    other = herb_map.table(F, REGIONS, MODELS, "wise", COUNTRIES)
    for panel, of_other in zip(herb_map.panels(table), herb_map.panels(other), strict=True):
        assert panel["title"] == of_other["title"]
        choices, (trace,) = panel["choices"], of_other["data"]
        at = choices["descriptions"].index("wise")
        assert choices["locations"] == trace["locations"] == ["NA", "FR"]
        assert choices["z"][at] == pytest.approx(trace["z"], rel=1e-2)
        assert choices["limits"][at] == pytest.approx(trace["zmax"])
        assert all(shown_text.startswith(text) for shown_text, text in zip(trace["text"], choices["text"], strict=True))


def test_of_many_descriptions_those_are_offered_in_which_countries_are_furthest_apart(monkeypatch):
    countries = REGIONS.loc[REGIONS["iso2"].notna(), "region"]
    columns = pd.MultiIndex.from_product([["mind"], ["same", "near", "far", "shown"]], names=["topic", "description"])
    f = pd.DataFrame([[0, 1, 9, 0], [0, 2, -9, 0], [0, 3, 0, 0]], countries, columns, dtype=float)
    assert herb_map.offered({"a": f, "b": f}, countries, "shown") == ["shown", "same", "near", "far"]
    monkeypatch.setattr(herb_map, "_MOST", 2 * 3 * 2)
    assert herb_map.offered({"a": f, "b": f}, countries, "shown") == ["shown", "far"]
    monkeypatch.setattr(herb_map, "_MOST", 1)
    assert herb_map.offered({"a": f, "b": f}, countries, "shown") == ["shown"]


@pytest.mark.parametrize("n_models", [1, 3, 4, 5])
def test_map_has_one_panel_a_model(map_table, n_models):
    rows = map_table[map_table["model"] == "none"]
    rows = pd.concat([rows.assign(model=f"model-{i}") for i in range(n_models)])
    figure = herb_map.figure(rows, COUNTRIES)
    assert figure.get_figwidth() <= style.WIDTH
    titles = [panel.get_title(loc="left") for panel in figure.axes]
    assert [title for title in titles if title] == [f"model-{i} (unbiased reference)" for i in range(n_models)]


def test_continents_table_is_root_and_children_and_loses_no_number():
    table = herb_continents.table(tidy(), REGIONS, MODELS)
    assert table["model"].unique().tolist() == ["none", "strong", "hub"]
    assert table["region"].tolist() == ["earth", "continent:AF", "continent:EU"] * 3
    wanted = tidy().query("definition == 'crossed' and variant == 'D2'").set_index(["model", "group"])
    places = zip(table["model"], table["region"], strict=True)
    assert table["estimate"].tolist() == [wanted.loc[place, "estimate"] for place in places]


def test_continents_figure_draws_each_model_in_each_region():
    table = herb_continents.table(tidy(), REGIONS, MODELS)
    axes = printed(herb_continents.panels(table), herb_continents.EMPTY).axes[0]
    drawn = {line.get_label(): line for line in axes.lines if not line.get_label().startswith("_")}
    assert list(drawn) == ["none (unbiased reference)", "strong (planted, strength 2)", "hub"]
    assert drawn["hub"].get_xdata() == pytest.approx(1e3 * table.loc[table["model"] == "hub", "estimate"])
    assert [tick.get_text() for tick in axes.get_yticklabels()] == [
        "The Earth (n = 2)",
        "Africa (n = 3)",
        "Europe (n = 4)",
    ]


def test_own_levels_and_missing_numbers_are_drawn_too():
    regions = pd.DataFrame(
        [("all", None, "world", "everything", None), ("a", "all", "planet", "Mars", None)],
        columns=["region", "parent", "level", "name", "iso2"],
    )
    summary = tidy(regions=("all",)).assign(ci_low=np.nan, ci_high=np.nan)
    table = herb_continents.table(summary, regions, MODELS)
    assert table["estimate"].notna().tolist() == [True, False] * 3
    assert_lays_out(printed(herb_continents.panels(table), herb_continents.EMPTY))
    assert "everything" in herb_continents.describe(table)
