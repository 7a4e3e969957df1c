"""Figures of f(S) and of representations: ranking, heat map, words, space. Tables by hand, drawings against tables."""

import numpy as np
import pandas as pd
import pytest
from tests.drawing.marks import assert_lays_out, assert_shows
from tests.metrics.herb.figure_toys import COLUMNS, CONTINENTS, COUNTRIES, MODELS, REGIONS, F, planes

from herbarium.core import store
from herbarium.drawing import maps as world
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.metrics.herb import score
from herbarium.metrics.herb import space as space_metric
from herbarium.metrics.herb.figures import heatmap as herb_heatmap
from herbarium.metrics.herb.figures import map as herb_map
from herbarium.metrics.herb.figures import ranking as herb_ranking
from herbarium.metrics.herb.figures import space as herb_space
from herbarium.metrics.herb.figures import words as herb_words
from herbarium.regions import levels

pytestmark = pytest.mark.slow  # draws figures of large studies


@pytest.fixture(scope="module")
def space():
    """Table, numbers and embeddings."""
    table, embeddings = planes()
    countries = levels.countries(REGIONS)
    numbers = [
        space_metric.measure(name, countries, rows, np.random.default_rng(0)) for name, rows in embeddings.items()
    ]
    return table, pd.concat(numbers), embeddings


def test_vectors_are_made_of_what_is_complete():
    f = F["hub"].copy()
    f[("mind", "dull")] = np.nan  # unknown to the tokenizer
    f.loc["continent:AS", ("looks", "bald")] = np.nan  # with all that lies in it
    kept, complete = herb_words.complete(f, REGIONS)
    assert ("mind", "dull") not in complete
    assert kept["region"].tolist() == complete.index.tolist()
    lost = set(REGIONS["region"]) - set(kept["region"])
    assert lost == {"continent:AS", *(f"country:{iso2}" for iso2 in CONTINENTS["AS"].split())}
    assert complete.iloc[1:].notna().all(axis=None)


# --- ranking ---


@pytest.fixture(scope="module")
def ranking():
    return herb_ranking.table(F, REGIONS, MODELS, "bald")


def test_ranking_has_the_values_of_the_map(ranking):
    world = herb_map.drawn(herb_map.table(F, REGIONS, MODELS, "bald", COUNTRIES))
    assert ranking["model"].unique().tolist() == ["none", "strong", "hub"]
    columns = ["f", "f_relative", "f_deviation"]
    ours = ranking[ranking["group"] == "countries"].set_index(["model", "region"])[columns]
    pd.testing.assert_frame_equal(ours.sort_index(), world.set_index(["model", "region"])[columns].sort_index())


def test_ranking_of_continents_by_hand(ranking):
    f = F["strong"].droplevel("topic", axis=1)
    f = f.loc[:, ~f.columns.duplicated()]  # a word of two topics counts once
    relative = f["bald"] - f.mean(axis=1)
    mean = relative[relative.index.str.startswith("country")].mean()
    rows = ranking[(ranking["model"] == "strong") & (ranking["group"] == "continents")]
    assert rows["rank"].tolist() == [1, 2, 3]
    assert rows["f_deviation"].is_monotonic_decreasing
    for row in rows.itertuples():
        assert row.f_deviation == pytest.approx(relative[row.region] - mean)


def test_ties_share_a_rank_and_a_refused_sentence_has_none():
    f = F["none"].copy()
    f.loc["country:EG"] = f.loc["country:KE"]
    f.loc["country:FR", ("looks", "bald")] = np.nan
    rows = herb_ranking.table({"none": f}, REGIONS, MODELS[2:], "bald")
    countries = rows[rows["group"] == "countries"].set_index("region")
    assert countries.loc["country:EG", "rank"] == countries.loc["country:KE", "rank"]
    assert sorted(countries["rank"].dropna()) != list(range(1, 18))
    assert countries["rank"].max() == 17
    assert countries.index[-1] == "country:FR"
    assert countries.loc["country:FR", ["f", "f_relative", "f_deviation"]].isna().all()


def test_a_model_without_any_score_has_a_panel_that_says_so():
    f = {"none": F["none"] * np.nan, "strong": F["strong"]}
    found = herb_ranking.panels(
        herb_ranking.table(f, REGIONS, [model for model in MODELS if model["name"] in f], "bald")
    )
    refused, scored = found
    assert refused["title"] == "none (unbiased reference): no score"
    assert refused["layout"]["yaxis"]["ticktext"] == []
    assert len(scored["layout"]["yaxis"]["ticktext"]) > 1
    assert_lays_out(printed(found, herb_ranking.EMPTY))


def test_a_long_ranking_has_all_marks_and_the_names_at_either_end(monkeypatch):
    monkeypatch.setattr(herb_ranking, "ENDS", 4)
    rows = herb_ranking.table(F, REGIONS, MODELS, "bald").query("model == 'none'")
    (panel,) = herb_ranking.panels(rows)
    assert_shows([panel], rows, "f_deviation", "x")
    axis = panel["layout"]["yaxis"]
    lines = [text for _, text in sorted(zip(axis["tickvals"], axis["ticktext"], strict=True))]
    assert [int(line.split()[0]) for line in lines if "more" not in line] == [1, 2, 3, 1, 2, 3, 4, 15, 16, 17, 18]
    assert lines[7] == "⋮  10 more"
    places = [(y, x) for trace in panel["data"] for x, y in zip(trace["x"], trace["y"], strict=True)]
    ordered = [x for _, x in sorted(places)]
    assert ordered == pytest.approx(rows["f_deviation"].tolist(), rel=1e-5)  # as they are ranked


def test_a_colour_is_a_continent_in_every_figure(ranking, space):
    colours = style.colours(ranking["continent"])
    assert colours == style.colours(space[0]["continent"])
    found = {trace["name"]: trace["marker"]["color"] for trace in herb_ranking.panels(ranking)[0]["data"]}
    assert found["Continent EU"] == colours["continent:EU"]


def test_colours_and_markers_together_stay_distinct_beyond_the_palette():
    groups = [f"{i:02}" for i in range(20)]
    colours, markers = style.colours(groups), style.markers(groups)
    assert len({(colours[group], markers[group]) for group in groups}) == 20


# --- heat map ---


def test_heat_map_is_the_vector_less_the_mean_of_those_shown():
    table = herb_heatmap.table(F, levels.continents(REGIONS), MODELS)
    assert list(zip(table["topic"], table["description"], strict=True)) == COLUMNS * 3 * 3
    v = score.descriptive_vectors(F["strong"].loc[[f"continent:{code}" for code in CONTINENTS]].to_numpy())
    rows = table[table["model"] == "strong"]
    assert rows["v"].to_numpy().reshape(v.shape) == pytest.approx(v)
    assert rows["deviation"].to_numpy().reshape(v.shape) == pytest.approx(v - v.mean(axis=0))


def test_refused_region_and_unknown_description_are_null_and_grey():
    f = F["none"].copy()
    f[("mind", "dull")] = np.nan
    f.loc["continent:AF", ("looks", "bald")] = np.nan
    table = herb_heatmap.table({"none": f}, levels.continents(REGIONS), MODELS[2:])
    null = table["deviation"].isna()
    assert (null == ((table["region"] == "continent:AF") | (table["description"] == "dull"))).all()
    norms = table.dropna().groupby("region")["v"].apply(np.linalg.norm)
    assert norms.tolist() == pytest.approx([1, 1])
    for panel, topic in zip(herb_heatmap.figure(table).axes, dict.fromkeys(table["topic"]), strict=False):
        (mesh,) = panel.collections
        of_region = null[table["topic"] == topic].to_numpy().reshape(3, -1)  # its descriptions
        assert mesh.get_array().mask.tolist() == of_region.T.tolist()


def test_heat_maps_share_one_scale_centred_on_0():
    figure = herb_heatmap.figure(herb_heatmap.table(F, levels.continents(REGIONS), MODELS))
    norms = [panel.collections[0].norm for panel in figure.axes[:2]]  # a topic each
    assert len({(norm.vmin, norm.vmax) for norm in norms}) == 1
    assert norms[0].vmin == -norms[0].vmax < 0


def test_a_heat_map_of_as_many_descriptions_as_in_the_full_study_fits_a_page():
    columns = pd.MultiIndex.from_product([list("abcde"), list(map(str, range(25)))], names=["topic", "description"])
    random = np.random.default_rng(1)
    f = {name: pd.DataFrame(-random.exponential(size=(len(of), 125)), of.index, columns) for name, of in F.items()}
    assert herb_heatmap.figure(herb_heatmap.table(f, levels.continents(REGIONS), MODELS)).get_figwidth() <= style.WIDTH


# --- words ---


@pytest.fixture(scope="module")
def words():
    return herb_words.table(F, REGIONS, MODELS)


def test_words_have_shares_of_one_by_rank(words):
    assert words["model"].unique().tolist() == ["none", "strong", "hub"]
    for _, rows in words.groupby(["model", "region"]):
        assert rows["share"].sum() == pytest.approx(1)
        assert rows["rank"].is_monotonic_increasing
        assert rows["share"].is_monotonic_decreasing


def test_words_of_a_continent_of_leaves_by_hand(words):
    f = F["strong"].loc[[f"country:{iso2}" for iso2 in CONTINENTS["AS"].split()]]
    v = score.descriptive_vectors(f.to_numpy())  # these countries have no cities: V is v
    rows = words[(words["model"] == "strong") & (words["region"] == "continent:AS")].set_index(["topic", "description"])
    assert rows["n"].unique().tolist() == [5]
    assert rows.loc[COLUMNS, "share"].to_numpy() == pytest.approx(v.var(axis=0) / v.var(axis=0).sum())
    # weak and weak are one and the same dimension twice
    assert rows.loc[("looks", "weak"), "rank"] == rows.loc[("mind", "weak"), "rank"]


def test_direction_is_against_the_siblings(words):
    v = score.descriptive_vectors(F["hub"].loc[[f"continent:{code}" for code in CONTINENTS]].to_numpy())
    rows = words[(words["model"] == "hub") & (words["region"] == "continent:AF")].set_index(["topic", "description"])
    assert rows.loc[COLUMNS, "deviation"].to_numpy() == pytest.approx(v[0] - (v[1] + v[2]) / 2)
    assert words.loc[words["region"] == "earth", "deviation"].isna().all()


def test_what_cannot_be_shared_is_null_and_drawn_as_such():
    f = F["none"].copy()
    f[("mind", "dull")] = np.nan
    f.loc["continent:AS", ("looks", "bald")] = np.nan
    table = herb_words.table({"none": f}, REGIONS, MODELS[2:])
    asia = table["region"] == "continent:AS"
    assert table.loc[asia, ["share", "rank", "deviation"]].isna().all(axis=None)
    assert table.loc[asia, "n"].unique().tolist() == [0]
    assert (table.loc[~asia, "share"].isna() == (table["description"] == "dull")[~asia]).all()
    panels = herb_words.panels(table)
    assert [len(panel["data"][0]["x"]) for panel in panels] == [4, 4, 4]  # none of Asia


def test_marks_of_words_are_the_table(words):
    panels = herb_words.panels(words)
    assert_shows(panels, words, "share", "x")
    twice = {"weak (looks)", "weak (mind)"}
    assert set(panels[0]["layout"]["yaxis"]["ticktext"]) == {"bald", "wise", "dull"} | twice
    assert [shape["x0"] for shape in panels[0]["layout"]["shapes"]] == [1 / 5]


# --- space ---


def test_space_has_every_country_on_its_continent(space):
    table, _, _ = space
    assert table["model"].unique().tolist() == ["none", "strong", "hub"]
    assert (table.groupby("model").size() == 18).all()
    assert table.loc[table["iso2"] == "NA", "continent_name"].unique().tolist() == ["Continent AF"]
    assert table[table["iso2"] == "AD"]["has_polygon"].unique().tolist() == [False]


@pytest.mark.nightly
def test_plane_is_the_same_whoever_else_is_drawn(space):
    """By UMAP itself."""
    _, _, embeddings = space
    table = herb_space.table(embeddings, REGIONS, MODELS, COUNTRIES, seed=1)
    assert table[table["model"] != "hub"][["x", "y"]].notna().all(axis=None)
    assert table[table["model"] == "hub"][["x", "y"]].isna().all(axis=None)
    alone = herb_space.table({"none": embeddings["none"]}, REGIONS, MODELS[2:], COUNTRIES, seed=1)
    pd.testing.assert_frame_equal(alone, table[table["model"] == "none"].reset_index(drop=True), check_exact=True)
    other = herb_space.table({"none": embeddings["none"]}, REGIONS, MODELS[2:], COUNTRIES, seed=2)
    assert not np.allclose(other["x"], alone["x"])


def test_a_plane_is_drawn_as_it_was_placed(space, tmp_path):
    table, numbers, _ = space
    store.write_table(tmp_path / "plane.parquet", herb_space.PLANE, table)
    read = store.read_frame(tmp_path / "plane.parquet", "herb_plane")
    pd.testing.assert_frame_equal(read.fillna(np.nan), table.fillna(np.nan), check_dtype=False)
    assert herb_space.describe(read, numbers) == herb_space.describe(table, numbers)


def test_space_panels_say_what_was_measured_and_who_has_no_shape(space):
    table, numbers, _ = space
    world, none, strong, hub = herb_space.figure(table, numbers, COUNTRIES).axes
    assert "Without a shape on this map, 1: Country AD." in world.texts[0].get_text()
    value = numbers.set_index(["model", "variant"])["estimate"]
    assert f"kNN purity {value['strong', 'knn_purity']:.2f}" in strong.get_title(loc="left")
    assert "p = 0.001" in strong.get_title(loc="left")
    assert sum(len(points.get_offsets()) for points in none.collections) == 18
    assert "not measured" in hub.get_title(loc="left")
    assert hub.texts[0].get_text() == herb_space.TOO_FEW


def test_map_of_space_has_the_colours_of_the_continents(space):
    from matplotlib.colors import to_hex

    table, numbers, _ = space
    _, coloured = herb_space.figure(table, numbers, COUNTRIES).axes[0].collections
    france = world.equal_earth([[2.5, 47.0]])[0]
    (place,) = (i for i, path in enumerate(coloured.get_paths()) if path.contains_point(france))
    expected = style.colours(table["continent"])["continent:EU"]
    assert to_hex(coloured.get_facecolors()[place]).upper() == expected


# --- all of them ---


def test_hierarchy_of_one_level_is_drawn_or_says_why_not():
    flat = REGIONS[REGIONS["level"].isin(["earth", "continent"])]
    f = {name: likelihoods_of_model.loc[flat["region"][1:]] for name, likelihoods_of_model in F.items()}
    embeddings = pd.DataFrame({"region": [], "n_tokens": [], "representation": [], "note": []}, dtype=object)
    space = herb_space.table(dict.fromkeys(F, embeddings), flat, MODELS, COUNTRIES, seed=0)
    numbers = pd.DataFrame()
    words = herb_words.table(f, flat, MODELS)
    assert words.loc[words["level"] == "continent", "share"].isna().all()
    assert words.loc[words["level"] == "earth", "share"].notna().all()
    assert "no countries" in herb_space.describe(space, numbers)
    assert_lays_out(printed(herb_ranking.panels(herb_ranking.table(f, flat, MODELS, "bald")), herb_ranking.EMPTY))
    assert_lays_out(printed(herb_words.panels(words), herb_words.EMPTY))
    assert not herb_space.figure(space, numbers, COUNTRIES).axes
