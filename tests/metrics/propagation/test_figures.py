"""The figure of intrinsic against extrinsic: its table against the numbers that it is of, the drawing against it."""

import numpy as np
import pytest
from tests.drawing.marks import assert_lays_out, assert_shows, assert_stands_without_numbers
from tests.metrics.downstream.toy import (
    COUNTRIES,
    MEASURED,
    MODELS,
    PREFIXES,
    REGIONS,
    WHERE,
    N,
    by_place,
    numbers_of,
    task_prefixes,
    titles,
)
from tests.metrics.propagation.figure_toys import herb_rows, propagated

from herbarium.drawing import style, tasks
from herbarium.drawing.names import outermost
from herbarium.drawing.printed import printed
from herbarium.metrics.propagation import score
from herbarium.metrics.propagation.figures import scatter as scatter_figure

pytestmark = pytest.mark.slow  # draws figures


@pytest.fixture(scope="module")
def numbers():
    return numbers_of()


@pytest.fixture(scope="module")
def scatter(numbers):
    """Table and correlations."""
    countries, correlations, everything = propagated(numbers)
    return scatter_figure.table(countries, everything, REGIONS, WHERE), correlations


@pytest.mark.nightly
def test_propagation_has_both_sides_of_every_country_and_model(scatter, numbers):
    table, _ = scatter
    sizes = table.groupby(["unit", "task", "model"]).size()
    assert sizes["country"].tolist() == [N] * 6
    assert sizes["model"].tolist() == [1] * 6
    rows = table[(table["unit"] == "country") & (table["task"] == "messages") & (table["model"] == "hub")]
    herb = herb_rows("hub").set_index("group")["estimate"]
    assert rows["intrinsic"].tolist() == herb[rows["region"]].tolist()
    effects = by_place(numbers, "excess", "messages", "hub").loc[rows["region"]]
    assert rows["effect"].tolist() == effects["estimate"].tolist()
    assert rows.loc[rows["region"] == "country:FR", "continent_name"].tolist() == ["Continent EU"]
    of_model = table[(table["unit"] == "model") & (table["task"] == "messages") & (table["model"] == "hub")].iloc[0]
    assert of_model["intrinsic"] == herb["earth"]
    sizes = numbers[(numbers["variant"] == "absolute_effect") & (numbers["group"] == "messages/country")]
    assert of_model["effect"] == sizes.set_index("model").loc["hub", "estimate"]


def test_countries_without_sub_regions_stand_alone_where_others_have_some(numbers):
    countries, _, everything = propagated(numbers, MEASURED[:1], leaves=9)
    table = scatter_figure.table(countries, everything, REGIONS, tasks.places(MEASURED[:1], MODELS))
    assert table["measure"].unique().tolist() == ["C_w_leaves"]
    assert len(table) == 9  # and no row of a model, as there is one


def test_propagation_is_drawn_as_it_is(scatter):
    table, correlations = scatter
    panels, bounds = scatter_figure.panels(table, correlations), ("effect_low", "effect_high")
    assert_shows(panels[:-2], table[table["unit"] == "country"], "effect", "y", bounds)
    assert_shows(panels[-2:], table[table["unit"] == "model"], "effect", "y")
    numbers = ["effect", *bounds, "intrinsic"]
    assert_stands_without_numbers(lambda rows: scatter_figure.panels(rows, correlations), table, numbers)
    panel = panels[0]
    rows = table[(table["unit"] == "country") & (table["task"] == "reviews") & (table["model"] == "none")]
    marks = [
        (trace["marker"]["color"], *place)
        for trace in panel["data"]
        for place in zip(trace["x"], trace["y"], strict=True)
    ]
    drawn = [(x, y, colour) for colour, x, y in marks]
    colours = rows["continent"].map(style.colours(rows["continent"]))
    wanted = sorted(zip(1e3 * rows["intrinsic"], rows["effect"], colours, strict=True))
    for one, other in zip(sorted(drawn), wanted, strict=True):
        assert one[:2] == pytest.approx(other[:2], rel=1e-5)
        assert one[2] == other[2]
    named = {annotation["text"] for annotation in panel["layout"]["annotations"]}
    assert rows.loc[rows["effect"].idxmin(), "name"] in named
    ends = outermost(rows[["intrinsic", "effect"]].to_numpy().T, scatter_figure.NAMED)
    assert named <= set(rows["name"].iloc[ends])


def test_titles_have_the_correlations_and_say_what_few_models_prove(scatter):
    table, correlations = scatter
    text = [panel["title"] for panel in scatter_figure.panels(table, correlations)]
    of_strong = correlations[(correlations["model"] == "strong") & (correlations["group"] == "reviews/C_w")]
    row = of_strong.set_index("variant").loc[score.PRIMARY]
    rho = style.with_interval(*row[["estimate", "ci_low", "ci_high"]])
    primary = f"ρ, within continents and given the name's length = {rho}, n = {N} countries"
    assert text[1] == f"reviews, strong (planted, strength 2): {primary}, adjusted p = {row['p_adjusted']:.2g}"
    assert [title.split()[0] for title in text[6:]] == ["reviews,", "messages,"]
    for title in text[6:]:
        assert "no correlation: 3 models" in title
    named = scatter_figure.panels(table, correlations)[-1]["layout"]["annotations"]
    assert {annotation["text"] for annotation in named} == set(MODELS)
    words = scatter_figure.describe(table, correlations)
    assert f"reviews, strong (planted, strength 2): {primary}" in words
    assert words.count("no correlation: 3 models") == 2


def test_no_name_covers_another_or_leaves_the_panel(scatter):
    figure = printed(scatter_figure.panels(*scatter), scatter_figure.EMPTY)
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
        measured = [("reviews", model) for model in models]
        rows = numbers[numbers["model"].isin(models)]
        countries, correlations, everything = propagated(rows, measured)
        table = scatter_figure.table(countries, everything, REGIONS, tasks.places(measured, MODELS))
        panels = scatter_figure.panels(table, correlations)
        assert len(panels) == len(models) + (text is not None)
        if text:
            assert text in panels[-1]["title"]


def drawn(numbers, measured=MEASURED, prefixes=PREFIXES):
    """The figure, and it in words."""
    countries, correlations, everything = propagated(numbers, measured, prefixes=prefixes)
    table = scatter_figure.table(countries, everything, REGIONS, tasks.places(measured, MODELS))
    figure = printed(scatter_figure.panels(table, correlations), scatter_figure.EMPTY)
    return figure, scatter_figure.describe(table, correlations)


@pytest.mark.parametrize("n", [1, 2])
def test_few_countries_and_no_interval_are_drawn(n):
    prefixes = task_prefixes(COUNTRIES[:n], nonsense=("Bly",))
    numbers = numbers_of(MEASURED[:1], prefixes, {"replicates": 0, "level": 0.9})
    figure, words = drawn(numbers, MEASURED[:1], {"reviews": prefixes})
    assert_lays_out(figure)
    assert "hub" in words
    assert "nan" not in words
    assert "too few countries that share a continent" in words


def test_numbers_that_are_all_null_are_said_to_lack(numbers):
    columns = ["estimate", "std_error", "ci_low", "ci_high", "p_value", "p_adjusted"]
    figure, words = drawn(numbers.assign(**dict.fromkeys(columns, np.nan)))
    assert_lays_out(figure)
    assert "no value" in words or words.startswith("No country")


def test_tasks_of_different_models_have_panels_of_their_own(numbers):
    measured = [("messages", "hub"), ("reviews", "none"), ("reviews", "strong"), ("reviews", "hub")]
    first = [title.replace("\n", " ").partition(":")[0] for title in titles(drawn(numbers, measured)[0])]
    models = ("none (unbiased reference)", "strong (planted, strength 2)", "hub")
    assert first[:4] == ["messages, hub", *(f"reviews, {model}" for model in models)]
