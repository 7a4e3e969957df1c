"""Figures of downstream tasks: tables against the numbers that they are of, drawings against tables."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from matplotlib.collections import LineCollection, PathCollection
from scipy.special import expit
from tests.conftest import assert_same_bytes

from herbarium.drawing import maps as world
from herbarium.drawing import style
from herbarium.metrics.downstream import numbers as downstream_table
from herbarium.metrics.downstream import planted_slope as planted_metric
from herbarium.metrics.downstream.figures import map as downstream_map
from herbarium.metrics.downstream.figures import planted as downstream_planted
from herbarium.metrics.downstream.figures import ranking as downstream_ranking
from herbarium.metrics.downstream.figures import shared
from herbarium.metrics.propagation import score
from herbarium.metrics.propagation.figures import scatter as downstream_propagation
from herbarium.regions import levels

GEOJSON = json.loads(Path("resources/maps/countries.geojson").read_text())
CODES = {"AF": "NA EG KE ML GA TG NE", "AS": "IN JP NP QA LA MN VN", "EU": "FR AD DE ES IT PL PT SE", "SA": "PE CL BR"}
CODES |= {"OC": "FJ NZ AU PG"}
REGIONS = pd.DataFrame(
    [
        ("earth", None, "earth", "the Earth", None),
        *((f"continent:{code}", "earth", "continent", f"Continent {code}", None) for code in CODES),
        *(
            (f"country:{iso2}", f"continent:{code}", "country", f"Country {iso2}", iso2)
            for code, inside in CODES.items()
            for iso2 in inside.split()
        ),
        ("city:1", "country:FR", "city", "Paris", None),
    ],
    columns=["region", "parent", "level", "name", "iso2"],
)
COUNTRIES = levels.countries(REGIONS)
N = len(COUNTRIES)
MODELS = {"hub": None, "strong": 2.0, "none": 0.0}
PROBED = [f"{task}/{model}" for task in ("reviews", "messages") for model in MODELS]
STRENGTHS = {"reviews": 1.5, "messages": 0.0}
LEAN = pd.Series(scipy.stats.zscore(np.random.default_rng(3).normal(size=N)), COUNTRIES["region"])
BOOTSTRAP, TESTS, LEVEL = {"replicates": 40, "level": 0.9}, {"correction": "fdr_bh"}, 0.9
TEXTS = 40


def task_prefixes(countries=COUNTRIES, nonsense=("Bly", "Ozz", "Quo", "Vim")):
    rows = [("original", "original", "original", "original", None, None)]
    rows += [
        ("region", "country", of.region, of.name, of.continent, of.iso2) for of in countries.itertuples(index=False)
    ]
    rows += [
        (kind, kind, f"{kind}:{name}", name, None, None)
        for kind, names in (("control", ("here", "there")), ("nonsense", nonsense))
        for name in names
    ]
    columns = ["kind", "unit", "group", "name", "continent", "iso2"]
    return pd.DataFrame(rows, columns=columns)


def downstream_numbers(probed=PROBED, prefixes=None, bootstrap=BOOTSTRAP):
    """Of classifiers that learned what the texts of their task were planted with, and noise."""
    prefixes = task_prefixes() if prefixes is None else prefixes
    lean = prefixes["group"].map(LEAN).fillna(0).to_numpy()
    parts = []
    for number, of in enumerate(probed):
        task, model = of.split("/")
        random = np.random.default_rng(number)
        offset = 0.1 * random.normal(size=len(prefixes))
        log_odds = (STRENGTHS[task] * lean + offset)[None, :, None] + random.normal(size=TEXTS)
        log_odds = log_odds + 0.4 * random.normal(size=(2, len(prefixes), TEXTS))
        label, uncut = np.arange(TEXTS) % 2, np.zeros(len(prefixes), int)
        given = model, task, expit(log_odds), label, prefixes, uncut, bootstrap, TESTS, 1
        parts.append(downstream_table.measure(*given))
        parts.append(planted_metric.measure(model, task, log_odds, prefixes, LEAN, STRENGTHS[task], bootstrap, 1))
    return pd.concat(parts, ignore_index=True)


@pytest.fixture(scope="module")
def numbers():
    return downstream_numbers()


PREFIXES = dict.fromkeys(("reviews", "messages"), task_prefixes())
WHERE = shared.places(PROBED, MODELS)


def by_place(numbers, variant, task, model):
    """Rows of countries by region."""
    rows = numbers[(numbers["variant"] == variant) & (numbers["unit"] == "country") & (numbers["model"] == model)]
    rows = rows[rows["group"].str.startswith(f"{task}/")]
    return rows.set_index(rows["group"].str.removeprefix(f"{task}/"))


def titles(figure):
    """Of all panels that have one."""
    every = [panel.get_title(loc=loc) for panel in figure.axes for loc in ("left", "right")]
    return [title for title in every if title]


# --- what they share ---


def test_places_are_tasks_as_given_and_planted_models_by_strength():
    found = shared.places(["b/strong", "b/published", "a/hub", "b/none"], MODELS)
    assert list(zip(found["task"], found["model"], strict=True)) == [
        ("b", "none"),
        ("b", "strong"),
        ("b", "published"),
        ("a", "hub"),
    ]
    assert found["planted"].tolist()[:2] == [0, 2]
    assert found["planted"].isna().tolist() == [False, False, True, True]


def test_effects_are_those_of_the_tidy_rows_and_null_where_there_are_none(numbers):
    lost = numbers[~((numbers["model"] == "hub") & (numbers["group"] == "reviews/country:FR"))]
    rows = shared.effects(lost, PREFIXES, WHERE, ["country", "nonsense"])
    assert len(rows) == len(PROBED) * (N + 4)
    for (task, model), own in rows[rows["unit"] == "country"].groupby(["task", "model"], sort=False):
        tidy = by_place(lost, "effect", task, model).reindex(own["region"])
        for ours, theirs in (("effect", "estimate"), *((name,) * 2 for name in ("ci_low", "ci_high", "p_adjusted"))):
            np.testing.assert_array_equal(own[ours], tidy[theirs])
    null = rows[["effect", "n"]].isna().all(axis=1)
    assert rows.loc[null, ["task", "model", "region"]].to_numpy().tolist() == [["reviews", "hub", "country:FR"]]


# --- map ---


@pytest.fixture(scope="module")
def map_table(numbers):
    return downstream_map.table(numbers, PREFIXES, WHERE, GEOJSON)


def test_map_has_a_panel_a_task_and_model_and_a_scale_a_task(map_table):
    figure = downstream_map.figure(map_table, GEOJSON)
    first = [title.splitlines()[0] for title in titles(figure)]
    assert first == ["none (planted 0)", "strong (planted 2)", "hub"] * 2
    norms = [panel.collections[1].norm for panel in figure.axes if len(panel.collections) == 3]
    assert len(norms) == 6
    for of_task in (norms[:3], norms[3:]):
        assert len({(norm.vmin, norm.vmax) for norm in of_task}) == 1
        assert of_task[0].vmin == -of_task[0].vmax < 0
    assert norms[0].vmax > norms[3].vmax


def test_each_country_has_the_colour_of_its_effect_and_dots_where_nothing_was_found(map_table):
    panel = downstream_map.figure(map_table, GEOJSON).axes[0]
    grey, coloured, dotted = panel.collections
    own = map_table[(map_table["task"] == "reviews") & (map_table["model"] == "none") & map_table["has_polygon"]]
    assert sorted(coloured.get_array()) == pytest.approx(sorted(own["effect"]))
    assert len(grey.get_paths()) + len(coloured.get_paths()) == len(GEOJSON["features"])
    assert own["is_found"].tolist() == (own["p_adjusted"] < 0.05).tolist()
    assert 0 < len(dotted.get_paths()) == (~own["is_found"]).sum() < len(own)
    france = world.equal_earth([[2.5, 47.0]])[0]
    (place,) = (i for i, path in enumerate(coloured.get_paths()) if path.contains_point(france))
    assert [coloured.get_array()[place]] == own.loc[own["iso2"] == "FR", "effect"].tolist()
    is_dotted = any(path.contains_point(france) for path in dotted.get_paths())
    assert [is_dotted] == (~own.loc[own["iso2"] == "FR", "is_found"]).tolist()


def test_map_says_who_has_no_shape_and_greys_who_has_no_value(map_table):
    assert downstream_map.without_polygon(map_table) == ["Country AD"]
    figure = downstream_map.figure(map_table, GEOJSON)
    assert "1: Country AD." in figure.get_supxlabel().replace("\n", " ")
    lost = map_table.assign(effect=map_table["effect"].where(map_table["iso2"] != "FR"), is_found=False)
    grey, coloured, _ = downstream_map.figure(lost, GEOJSON).axes[0].collections
    assert len(coloured.get_paths()) == N - 2
    assert len(grey.get_paths()) == len(GEOJSON["features"]) - N + 2


def test_hierarchy_without_codes_has_no_map(numbers):
    prefixes = {task: of.assign(iso2=None) for task, of in PREFIXES.items()}
    table = downstream_map.table(numbers, prefixes, WHERE, GEOJSON)
    assert table.empty
    assert downstream_map.figure(table, GEOJSON).texts[0].get_text() == downstream_map.EMPTY
    assert downstream_map.describe(table) == downstream_map.EMPTY


# --- ranking ---


@pytest.fixture(scope="module")
def ranking(numbers):
    return downstream_ranking.table(numbers, PREFIXES, WHERE)


def test_ranking_is_by_effect_and_the_band_is_of_the_nonsense_names(ranking, numbers):
    own = ranking[(ranking["task"] == "reviews") & (ranking["model"] == "strong")]
    countries = own[own["unit"] == "country"]
    assert countries["rank"].tolist() == list(range(1, N + 1))
    assert countries["effect"].is_monotonic_decreasing
    nonsense = numbers[
        (numbers["variant"] == "effect") & (numbers["unit"] == "nonsense") & (numbers["model"] == "strong")
    ]
    nonsense = nonsense.loc[nonsense["group"].str.startswith("reviews/"), "estimate"].to_numpy()
    low, high = own[["band_low", "band_high"]].iloc[0]
    assert [low, high] == pytest.approx([nonsense.mean() + side * 2 * nonsense.std(ddof=1) for side in (-1, 1)])
    assert own["is_beyond"].tolist() == [not low <= effect <= high for effect in own["effect"]]
    assert own["unit"].unique().tolist() == ["country", "nonsense", "control"]


def test_equal_effects_share_a_rank_and_a_lost_one_has_none(numbers):
    where = WHERE[:1]
    tied = numbers.copy()
    is_effect = (tied["variant"] == "effect") & (tied["model"] == "none")
    value = tied.loc[is_effect & (tied["group"] == "reviews/country:FR"), "estimate"].item()
    tied.loc[is_effect & (tied["group"] == "reviews/country:DE"), "estimate"] = value
    tied.loc[is_effect & (tied["group"] == "reviews/country:IN"), "estimate"] = np.nan
    rows = downstream_ranking.table(tied, PREFIXES, where).query("unit == 'country'").set_index("region")
    assert rows.loc["country:FR", "rank"] == rows.loc["country:DE", "rank"]
    assert rows.index[-1] == "country:IN"
    assert rows["rank"].isna().sum() == 1


def test_a_ranking_is_drawn_as_it_is_and_cut_in_the_middle(ranking):
    figure = downstream_ranking.figure(ranking, LEVEL)
    panel = figure.axes[1]
    own = ranking[(ranking["task"] == "reviews") & (ranking["model"] == "strong")]
    countries = own[own["unit"] == "country"]
    ticks = [tick.get_text() for tick in panel.get_yticklabels()]
    ends = pd.concat([countries[:12], countries[-12:]])
    assert ticks[12] == f"⋮  {N - 24} more"
    assert [*ticks[:12], *ticks[13:25]] == [f"{row.rank}  {row.name}" for row in ends.itertuples(index=False)]
    assert ticks[25:] == ["nonsense names (4)", "controls (2)"]
    dots = {(x, y) for line in panel.lines if line.get_marker() == "o" for x, y in line.get_xydata()}
    y = [*range(12), *range(13, 25)]
    assert dots == set(zip(ends["effect"], map(float, y), strict=True))
    (lines,) = (of for of in panel.collections if isinstance(of, LineCollection))
    drawn = [(*segment[:, 0], segment[0, 1]) for segment in lines.get_segments()]
    np.testing.assert_allclose(drawn, np.column_stack([ends["ci_low"], ends["ci_high"], y]))
    (band,) = panel.patches
    assert [band.get_x(), band.get_x() + band.get_width()] == pytest.approx(
        own[["band_low", "band_high"]].iloc[0].tolist()
    )
    others = next(line for line in panel.lines if line.get_marker() == "D")
    assert others.get_xdata().tolist() == own.loc[own["unit"] == "nonsense", "effect"].tolist()


def test_filled_is_what_was_found(ranking):
    panel = downstream_ranking.figure(ranking, LEVEL).axes[3]
    own = ranking[(ranking["task"] == "messages") & (ranking["model"] == "none") & (ranking["unit"] == "country")]
    shown = pd.concat([own[:12], own[-12:]])
    found = {line.get_markerfacecolor() != "white": line for line in panel.lines if line.get_marker() == "o"}
    for is_found, line in found.items():
        assert set(line.get_xdata()) == set(shown.loc[shown["is_found"] == is_found, "effect"])


# --- propagation ---


def herb_rows(model, leaves=None):
    """HERB's tidy rows; some countries have sub-regions where `leaves` are fewer."""
    random = np.random.default_rng(list(MODELS).index(model))
    rows = pd.DataFrame(
        {"group": COUNTRIES["region"], "unit": "country", "estimate": random.uniform(0, 0.3, N), "n": 0}
    )
    rows.loc[rows.index[leaves:] if leaves else [], "n"] = 2
    root = pd.DataFrame({"group": ["earth"], "unit": "earth", "estimate": random.uniform(0, 0.1), "n": 5})
    return pd.concat([rows, root]).assign(model=model, metric="herb", definition="paper", variant="C_w")


def propagated(numbers, probed=PROBED, leaves=None, prefixes=PREFIXES):
    """What the figure is made of: countries, correlations, numbers."""
    herb = {of.split("/")[1]: herb_rows(of.split("/")[1], leaves) for of in probed}
    columns = pd.MultiIndex.from_product([["mind", "body"], ["wise", "tall"]], names=["topic", "description"])
    f = pd.DataFrame(-np.random.default_rng(0).uniform(1, 9, (N, 4)), COUNTRIES["region"], columns)
    tokens = pd.Series(np.arange(N) % 3 + 1, COUNTRIES["region"])
    countries, correlations = [], []
    for of in probed:
        task, model = of.split("/")
        measures = score.country_measures(herb[model], f, pd.Index(COUNTRIES["region"]))
        effects = score.country_effects(numbers, model, task)
        countries.append(score.scatter(model, task, measures, effects, prefixes[task]))
        correlations.append(
            score.of_countries(model, task, measures, f, effects["estimate"], tokens, BOOTSTRAP, "fdr_bh", 1)
        )
    everything = pd.concat([numbers, *herb.values()], ignore_index=True)
    scores = score.scores(everything, "earth", {})
    correlations += [score.of_models(task, scores, numbers, "fdr_bh", 1) for task in PREFIXES]
    return pd.concat(countries, ignore_index=True), pd.concat(correlations, ignore_index=True), everything


@pytest.fixture(scope="module")
def scatter(numbers):
    """Table and correlations."""
    countries, correlations, everything = propagated(numbers)
    return downstream_propagation.table(countries, everything, REGIONS, WHERE), correlations


def test_propagation_has_both_sides_of_every_country_and_model(scatter, numbers):
    table, _ = scatter
    sizes = table.groupby(["unit", "task", "model"]).size()
    assert sizes["country"].tolist() == [N] * 6
    assert sizes["model"].tolist() == [1] * 6
    own = table[(table["unit"] == "country") & (table["task"] == "messages") & (table["model"] == "hub")]
    herb = herb_rows("hub").set_index("group")["estimate"]
    assert own["intrinsic"].tolist() == herb[own["region"]].tolist()
    effects = by_place(numbers, "effect", "messages", "hub").loc[own["region"]]
    assert own["effect"].tolist() == effects["estimate"].tolist()
    assert own.loc[own["region"] == "country:FR", "continent_name"].tolist() == ["Continent EU"]
    of_model = table[(table["unit"] == "model") & (table["task"] == "messages") & (table["model"] == "hub")].iloc[0]
    assert of_model["intrinsic"] == herb["earth"]
    assert of_model["effect"] == pytest.approx(own["effect"].abs().mean())
    assert of_model["effect_low"] <= of_model["effect_high"]


def test_countries_without_sub_regions_stand_alone_where_others_have_some(numbers):
    countries, _, everything = propagated(numbers, PROBED[:1], leaves=9)
    table = downstream_propagation.table(countries, everything, REGIONS, shared.places(PROBED[:1], MODELS))
    assert table["measure"].unique().tolist() == ["C_w_leaves"]
    assert len(table) == 9  # and no row of a model, as there is one


def test_propagation_is_drawn_as_it_is(scatter):
    from matplotlib.colors import to_hex

    table, correlations = scatter
    figure = downstream_propagation.figure(table, correlations, LEVEL)
    panel = figure.axes[0]
    own = table[(table["unit"] == "country") & (table["task"] == "reviews") & (table["model"] == "none")]
    (points,) = (of for of in panel.collections if isinstance(of, PathCollection))
    np.testing.assert_allclose(points.get_offsets(), own[["intrinsic", "effect"]].to_numpy() * [1e3, 1])
    colours = style.colours(own["continent"])
    assert [to_hex(colour).upper() for colour in points.get_facecolors()] == own["continent"].map(colours).tolist()
    (lines,) = (of for of in panel.collections if isinstance(of, LineCollection))
    drawn = [segment[:, 1].tolist() for segment in lines.get_segments()]
    assert drawn == own[["effect_low", "effect_high"]].to_numpy().tolist()
    named = {text.get_text() for text in panel.texts}
    assert own.loc[own["effect"].idxmin(), "name"] in named
    assert named <= set(own["name"].iloc[downstream_propagation.outermost(*own[["intrinsic", "effect"]].to_numpy().T)])


def test_titles_have_the_correlations_and_say_what_few_models_prove(scatter):
    table, correlations = scatter
    said = [
        title.replace("\n", " ").replace("\u00a0", " ")
        for title in titles(downstream_propagation.figure(table, correlations, LEVEL))
    ]
    row = correlations[
        (correlations["model"] == "strong")
        & (correlations["group"] == "reviews/C_w")
        & (correlations["variant"] == "spearman_effect")
    ].iloc[0]
    rho = style.with_interval(*row[["estimate", "ci_low", "ci_high"]])
    assert said[1] == f"strong (planted 2) ρ = {rho}, n = {N} countries, adjusted p = {row['p_adjusted']:.2g}"
    assert [title.split()[0] for title in said[6:]] == ["reviews", "messages"]
    for title in said[6:]:
        assert re.search(r"ρ = .*, n = 3 models, .* a ranking of so few proves little", title)
    words = downstream_propagation.describe(table, correlations)
    assert f"reviews, strong (planted 2): ρ = {rho}, n = {N} countries" in words
    assert words.count("a ranking of so few proves little") == 2


def test_all_models_are_named(scatter):
    panel = downstream_propagation.figure(*scatter, LEVEL).axes[-1]
    assert {text.get_text() for text in panel.texts} == set(MODELS)


def test_no_name_covers_another_or_leaves_the_panel(scatter):
    figure = downstream_propagation.figure(*scatter, LEVEL)
    with style.context():
        figure.draw_without_rendering()
    for panel in figure.axes[:6]:
        inside = panel.get_window_extent()
        boxes = [text.get_window_extent() for text in panel.texts]
        assert boxes
        for place, box in enumerate(boxes):
            assert inside.x0 - 15 <= box.x0
            assert box.x1 <= inside.x1 + 15
            assert not any(box.overlaps(other) for other in boxes[place + 1 :])


def test_two_models_have_no_correlation_and_one_has_no_panel(numbers):
    for models, text in ((["none", "hub"], "no correlation: 2 models"), (["hub"], None)):
        probed = [f"reviews/{model}" for model in models]
        own = numbers[numbers["model"].isin(models)]
        countries, correlations, everything = propagated(own, probed)
        table = downstream_propagation.table(countries, everything, REGIONS, shared.places(probed, MODELS))
        figure = downstream_propagation.figure(table, correlations, LEVEL)
        assert len(titles(figure)) == len(models) + (text is not None)
        if text:
            assert text in titles(figure)[-1]


# --- planted ---


@pytest.fixture(scope="module")
def planted(numbers):
    return downstream_planted.table(numbers, PREFIXES, WHERE, LEAN, STRENGTHS)


def test_planted_has_lean_and_measured_effect_of_every_country(planted, numbers):
    assert len(planted) == 6 * N
    own = planted[(planted["task"] == "reviews") & (planted["model"] == "hub")]
    assert own["lean"].tolist() == LEAN[own["region"]].tolist()
    assert own["planted_effect"].to_numpy() == pytest.approx(1.5 * own["lean"].to_numpy())
    tidy = by_place(numbers, "log_odds_effect", "reviews", "hub").loc[own["region"]]
    assert own[["effect", "ci_low"]].to_numpy().tolist() == tidy[["estimate", "ci_low"]].to_numpy().tolist()


def test_tasks_that_are_not_planted_are_left_out(numbers):
    table = downstream_planted.table(numbers, PREFIXES, WHERE, LEAN, STRENGTHS | {"messages": None})
    assert table["task"].unique().tolist() == ["reviews"]
    none = downstream_planted.table(numbers, PREFIXES, WHERE, LEAN, dict.fromkeys(STRENGTHS))
    assert downstream_planted.describe(none, numbers) == downstream_planted.EMPTY
    assert downstream_planted.figure(none, numbers, LEVEL).texts[0].get_text() == downstream_planted.EMPTY


def test_what_was_planted_is_seen_to_be_found_in_one_task_and_not_in_the_other(planted, numbers):
    figure = downstream_planted.figure(planted, numbers, LEVEL)
    panels = [panel for panel in figure.axes if panel.lines]
    assert len(panels) == 6
    assert len({panel.get_ylim() for panel in panels}) == 1
    for panel, (_, own) in zip(panels, shared.by_model(planted), strict=True):
        dots = next(line for line in panel.lines if line.get_marker() == "o")
        np.testing.assert_array_equal(dots.get_xydata(), own[["lean", "effect"]])
        line = next(line for line in panel.lines if line.get_linestyle() == "--")
        assert line.get_ydata() == pytest.approx(own["strength"].iloc[0] * line.get_xdata())
    slopes = numbers[numbers["variant"] == "planted_slope"].set_index(["group", "model"])
    low, high = (slopes[bound].unstack("model") for bound in ("ci_low", "ci_high"))
    assert (low.loc["reviews/country"] > 1).all()
    assert (high.loc["messages/country"] < 0.2).all()
    words = downstream_planted.describe(planted, numbers)
    value = style.with_interval(*slopes.loc[("reviews/country", "hub"), ["estimate", "ci_low", "ci_high"]])
    assert re.search(rf"reviews \(planted strength 1.5\), hub: .*slope = {re.escape(value)} log-odds", words)


# --- all of them ---


def all_figures(numbers, probed=PROBED, prefixes=PREFIXES):
    """Name -> (figure, words)."""
    where = shared.places(probed, MODELS)
    countries, correlations, everything = propagated(numbers, probed, prefixes=prefixes)
    of_map = downstream_map.table(numbers, prefixes, where, GEOJSON)
    of_ranking = downstream_ranking.table(numbers, prefixes, where)
    both = downstream_propagation.table(countries, everything, REGIONS, where)
    of_planted = downstream_planted.table(numbers, prefixes, where, LEAN, STRENGTHS)
    return {
        "map": (downstream_map.figure(of_map, GEOJSON), downstream_map.describe(of_map)),
        "ranking": (downstream_ranking.figure(of_ranking, LEVEL), downstream_ranking.describe(of_ranking)),
        "propagation": (
            downstream_propagation.figure(both, correlations, LEVEL),
            downstream_propagation.describe(both, correlations),
        ),
        "planted": (
            downstream_planted.figure(of_planted, numbers, LEVEL),
            downstream_planted.describe(of_planted, numbers),
        ),
    }


@pytest.mark.parametrize("n", [1, 2])
def test_few_countries_one_nonsense_name_and_no_interval_are_drawn(tmp_path, n):
    prefixes = task_prefixes(COUNTRIES[:n], nonsense=("Bly",))
    numbers = downstream_numbers(PROBED[:1], prefixes, {"replicates": 0, "level": 0.9})
    drawn = all_figures(numbers, PROBED[:1], {"reviews": prefixes})
    for name, (figure, words) in drawn.items():
        style.save(figure, [tmp_path / f"{name}.png"])
        assert "hub" in words
        assert "nan" not in words
    assert len(drawn["ranking"][0].axes[0].patches) == 0  # one name has no band
    assert "fewer than 3 countries" in drawn["propagation"][1]


def test_numbers_that_are_all_null_are_drawn_or_said_to_lack(tmp_path, numbers):
    columns = ["estimate", "std_error", "ci_low", "ci_high", "p_value", "p_adjusted"]
    null = numbers.assign(**dict.fromkeys(columns, np.nan))
    for name, (figure, words) in all_figures(null).items():
        style.save(figure, [tmp_path / f"{name}.png"])
        assert "no value" in words or words.startswith("No country")


def test_tasks_of_different_models_have_panels_of_their_own(numbers):
    probed = ["messages/hub", "reviews/none", "reviews/strong", "reviews/hub"]
    for name, (figure, _) in all_figures(numbers, probed).items():
        first = [title.splitlines()[0] for title in titles(figure)]
        assert first[:4] == ["hub", "none (planted 0)", "strong (planted 2)", "hub"], name


def test_words_name_the_extremes(map_table, ranking):
    own = map_table[(map_table["task"] == "reviews") & (map_table["model"] == "hub")]
    top = own.loc[own["effect"].idxmax()]
    expected = f"to {shared.signed(top['effect'])} ({top['name']}); adjusted p < 0.05: {own['is_found'].sum()} of {N}"
    assert expected in downstream_map.describe(map_table)
    beyond = ranking[(ranking["task"] == "reviews") & (ranking["model"] == "hub") & (ranking["unit"] == "country")]
    words = downstream_ranking.describe(ranking)
    assert f"({top['name']}); {beyond['is_beyond'].sum()} of {N} countries beyond the nonsense names (" in words


def test_same_table_gives_same_bytes(tmp_path, numbers, map_table, ranking, scatter, planted):
    of_map, of_ranking, both, of_planted = (
        table[(table["task"] == "reviews") & (table["model"] == "hub")]
        for table in (map_table, ranking, scatter[0], planted)
    )
    for name, draw in (
        ("map", lambda: downstream_map.figure(of_map, GEOJSON)),
        ("ranking", lambda: downstream_ranking.figure(of_ranking, LEVEL)),
        ("propagation", lambda: downstream_propagation.figure(both, scatter[1], LEVEL)),
        ("planted", lambda: downstream_planted.figure(of_planted, numbers, LEVEL)),
    ):
        (tmp_path / name).mkdir()
        assert_same_bytes(draw, tmp_path / name)
