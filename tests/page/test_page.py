"""The report as a browser shows it: a page of every part, opened in Chromium.

HERBARIUM_PAGE=results/demo/report/index.html looks at that page as well.
"""

import io
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from playwright.sync_api import expect
from tests.metrics.categorical_bias import example as of_bias
from tests.metrics.crows_pairs import example as of_pairs
from tests.metrics.downstream import example as of_downstream
from tests.metrics.downstream import toy
from tests.metrics.herb import example as of_herb
from tests.metrics.mixed_effects import figure_toys as mixed_toys
from tests.metrics.mixed_effects import test_report as mixed_page
from tests.metrics.propagation import test_report as propagation_page
from tests.metrics.propagation.figure_toys import propagated
from tests.metrics.sentence_sets import test_report as sets_page
from tests.page import test_rooms as rooms_page
from tests.page.length import length
from tests.page.test_methods import CITATION
from tests.questions import what_to_write, which_is_more_biased, which_words_drive
from tests.reports import assert_fits_and_has_no_barrier, opened, pictures_of, without_scripts
from tests.study.figure_toys import calibrated, combined
from tinyhtml5.parser import HTMLParser

from herbarium.drawing import panels as interactive
from herbarium.metrics.downstream.figures import map as downstream_map
from herbarium.metrics.downstream.figures import planted as downstream_planted
from herbarium.metrics.downstream.figures import ranking as downstream_ranking
from herbarium.metrics.propagation.figures import scatter
from herbarium.page.build import Room, build
from herbarium.page.calibration import calibration
from herbarium.page.changes import changes, flagged
from herbarium.page.drivers import by_part, drivers
from herbarium.page.error_rates import error_rates
from herbarium.page.limits import limits
from herbarium.page.methods import methods, paragraphs
from herbarium.page.overview import looks, overview
from herbarium.page.provenance import provenance
from herbarium.page.reproduction import reproduction
from herbarium.page.uncertainty import uncertainty
from herbarium.report import answers
from herbarium.report.part import render
from herbarium.report.pictures import shown
from herbarium.scoring.refusals import REFUSALS
from herbarium.study import words as words_of
from herbarium.study.signatures import by_key

pytestmark = pytest.mark.slow  # opens a page in a browser several times (a minute)

LINES = {
    model: f"herbarium 0.1.0 | herb_crossed | crossed | {model} | variant:D2 | unit:earth | group:earth | seed:0"
    for model in of_herb.PLANTED
}


ITEMS = pd.DataFrame(
    [
        (model, "herb_crossed", "D2", region, word, "", strength * value)
        for model, strength in of_herb.PLANTED.items()
        for region in ("continent:AF", "continent:AS")
        for word, value in zip(("bald", "wise", "loud", "kind"), (3.0, 1.0, 0.5, -1.0), strict=True)
    ],
    columns=["model", "metric", "measure", "object", "word", "form", "value"],
)


# --- the page ---


def of_tasks(folder):
    """The parts on tasks, and on what predicts what a region changes in them."""
    numbers = toy.numbers_of()
    countries, correlations, everything = propagated(numbers)
    tables = {
        "downstream_map": downstream_map.table(numbers, toy.PREFIXES, toy.WHERE, toy.GEOJSON),
        "downstream_ranking": downstream_ranking.table(numbers, toy.PREFIXES, toy.WHERE),
        "downstream_planted": downstream_planted.table(numbers, toy.PREFIXES, toy.WHERE, toy.LEAN, toy.STRENGTHS),
        "propagation_scatter": scatter.table(countries, everything, toy.REGIONS, toy.WHERE),
    }
    pictures = pictures_of(tables, folder)
    classifiers = [of_downstream.classifier(model, planted) for model, planted in toy.MODELS.items()]
    tasks = [
        of_downstream.task(planted, classifiers, name, toy.PREFIXES[name]) for name, planted in toy.STRENGTHS.items()
    ]
    page_part = of_downstream.part_of(numbers.to_dict("records"), tasks, drawn=pictures)
    labels = {name: name for name in toy.MODELS}
    beside = propagation_page.written(correlations, pictures, list(toy.STRENGTHS), labels.items())
    return [page_part, beside]


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """A page of every part, each of the numbers of its own tests."""
    folder = tmp_path_factory.mktemp("page")

    def drawn(metric, tables):
        return pictures_of({f"{metric}_{name}": table() for name, table in tables.items()}, folder)

    models, summary = of_herb.PLANTED_MODELS, of_herb.summary(of_herb.PLANTED)
    parts = [
        of_herb.part_of(summary, models, toy.REGIONS),
        of_bias.part_of(of_bias.tidy()),
        mixed_page.written(drawn("mixed_effects", mixed_toys.TABLES)),
        of_pairs.part_of(of_pairs.numbers()),
        sets_page.part_of(),
        *of_tasks(folder),
    ]
    table = answers.table([answer for part in parts for answer in part.answers])
    answered = pictures_of({"answers": table}, folder)["answers"]
    refusals = pd.DataFrame([("weak", "herb", "cut", True, 2, 10)], columns=REFUSALS.fields.names)
    described = paragraphs(parts, models, rooms_page.STUDY, refusals, rooms_page.MADE, {}, CITATION)
    ranked = by_part(words_of.table(ITEMS, {}), parts)
    rooms = [
        overview(*(parts, models, flagged(combined()), answered, by_key(LINES.values())), ranked=ranked, compared=True),
        *parts,
        drivers(ranked, parts),
        changes(pictures_of({"changes": combined()}, folder)["changes"]),
        calibration(pictures_of({"calibration": calibrated()}, folder)["calibration"]),
        error_rates([rooms_page.VALIDITY], parts),
        reproduction(rooms_page.OURS, [*parts, rooms_page.LEANING], rooms_page.SOURCES, rooms_page.REST),
        uncertainty(summary, refusals, parts),
        limits(parts),
        methods(described, parts, CITATION),
        provenance(rooms_page.MADE, rooms_page.STUDY),
    ]
    file = folder / "index.html"
    file.write_text(build(rooms, models, rooms_page.STUDY, {"libraries": {"numpy": "2.9"}}, toy.GEOJSON, looks(parts)))
    return file


@pytest.fixture(scope="module")
def page(browser, page_file):
    with opened(browser, page_file) as page:
        yield page


# --- what it shows ---


@pytest.fixture(params=["every part", *filter(None, [os.environ.get("HERBARIUM_PAGE")])])
def any_page(request, page_file):
    return page_file if request.param == "every part" else Path(request.param).resolve()


@pytest.mark.parametrize(
    ("width", "scheme", "folded"),
    [
        (390, "dark", False),
        *(
            pytest.param(*how, marks=pytest.mark.nightly)
            for how in ((1280, "light", False), (768, "dark", True), (1280, "light", True))
        ),
    ],
)
def test_page_fits_shows_all_and_has_no_barrier(browser, any_page, width, scheme, folded):
    with opened(browser, any_page, width, folded, color_scheme=scheme) as page:
        assert_fits_and_has_no_barrier(page)
        assert page.locator("figure.drawn").count() >= (5 if folded else 11)


def test_the_page_is_short(browser, any_page):
    """What is in sight when it opens; the rest is folded."""
    measured_length = length(browser, any_page)
    assert measured_length["screens"] <= 15
    assert measured_length["words"] <= 5000
    assert measured_length["tables"] <= 10
    assert measured_length["all_tables"] > 40


def test_the_first_screen_answers(browser, any_page):
    with opened(browser, any_page, folded=True) as page:
        assert page.locator("table.screen").bounding_box()["y"] < 400
        expect(page.locator("table.screen tbody tr").first).to_be_in_viewport()
        assert page.locator("#figure-answers").is_visible()
        assert page.locator(".answer").count() >= 8
        assert page.locator(".answer li .mark").count() >= page.locator(".answer").count()


# --- what its reader chooses ---


@pytest.fixture
def fresh(browser, page_file):
    with opened(browser, page_file, folded=True) as page:
        yield page


def marks(page):
    """Marks of each model in the first figure."""
    return page.evaluate(
        "document.querySelector('#figure-answers .js-plotly-plot').data.map((of) => [of.models, of.x.length])"
    )


@pytest.mark.nightly
def test_a_model_is_hidden_in_all_figures_tables_and_lists_and_kept_in_the_address(fresh, browser):
    models = [model for model, _ in marks(fresh)]
    assert {"none", "strong"} <= set(models)
    fresh.get_by_text("Choose models").click()
    fresh.get_by_role("checkbox", name="strong (planted, strength 2)").uncheck()
    assert [model for model, _ in marks(fresh)] == [model for model in models if model != "strong"]
    assert fresh.locator("[data-model=strong]:visible").count() == 0
    assert fresh.locator("[data-model=none]:visible").count() > 0
    assert "hide=strong" in fresh.url
    fresh.locator("nav a", has_text="Mixed effects").click()
    expect(fresh).to_have_url(re.compile(r"#part-mixed_effects\?hide=strong$"))  # the page adds it after the click
    fresh.reload()
    assert fresh.locator("[data-model=strong]:visible").count() == 0
    assert not fresh.get_by_role("checkbox", name="strong (planted, strength 2)", include_hidden=True).is_checked()
    fresh.get_by_role("button", name="Show all").click()
    assert fresh.locator("[data-model=strong]:visible").count() > 0
    assert "hide" not in fresh.url


@pytest.mark.nightly
def test_a_hidden_model_is_in_no_row_and_no_column_of_a_table(fresh):
    fresh.goto(fresh.url.partition("#")[0] + "#table-crossed?hide=strong")
    fresh.evaluate("document.querySelectorAll('main details').forEach((of) => (of.open = true))")
    seen = fresh.evaluate(
        "[...document.querySelectorAll('main tbody tr')].filter((row) => row.checkVisibility())"
        ".filter((row) => [...row.cells].some((cell) => cell.textContent.trim() === 'strong (planted, strength 2)'))"
        ".length"
    )
    assert seen == 0
    heads = fresh.locator("#table-crossed thead th:visible").all_inner_texts()
    assert not any("strong" in head for head in heads)
    assert any("none" in head for head in heads)
    n = len(fresh.locator("#table-crossed thead tr").last.locator("th:visible").all())
    assert fresh.locator("#table-crossed tbody tr").first.locator("td:visible").count() == n


@pytest.mark.nightly
def test_a_model_is_highlighted_where_it_is_drawn(fresh):
    fresh.get_by_text("Choose models").click()
    fresh.get_by_role("button", name="Highlight weak (planted, strength 0.5)").click()
    dim = fresh.evaluate(
        "Object.fromEntries(document.querySelector('#figure-answers .js-plotly-plot').data"
        ".map((of) => [of.models, of.marker.opacity.every((x) => x < 1)]))"
    )
    assert dim.pop("weak") is False
    assert all(dim.values())
    assert "mark=weak" in fresh.url


def test_metrics_and_words_are_chosen_once_for_all(fresh):
    fresh.get_by_text("Choose metrics").click()
    fresh.get_by_role("checkbox", name="HERB").uncheck()
    assert fresh.locator("section.part[data-part=herb]:visible, .answer[data-part=herb]:visible").count() == 0
    assert fresh.locator("section.part:visible").count() > 3
    fresh.get_by_role("checkbox", name="HERB").check()
    fresh.evaluate("document.querySelectorAll('main details').forEach((of) => (of.open = true))")
    fresh.get_by_role("searchbox", name="Only words, topics, regions with").fill("country np")
    rows = column(fresh, "table-downstream-ends-reviews", 2)
    assert rows
    assert set(rows) == {"Country NP"}


def lines(page, figure):
    """Of each panel of a figure that is seen the texts beside its lines, and how many lines have marks."""
    return page.evaluate(
        "(id) => [...document.querySelectorAll(`#${id} .js-plotly-plot`)].filter((of) => of.checkVisibility())"
        ".map((of) => [of.layout.yaxis.ticktext, new Set(of.data.flatMap(({ y }) => y.map(Math.round))).size])",
        figure,
    )


@pytest.mark.nightly
def test_topics_are_chosen_for_all_figures_and_tables_and_kept_in_the_address(fresh):
    fresh.evaluate("document.querySelectorAll('main details').forEach((of) => (of.open = true))")
    fresh.locator("#figure-herb_words").scroll_into_view_if_needed()
    expect(fresh.locator("#figure-herb_words .js-plotly-plot").first).to_be_visible()
    drawn = lines(fresh, "figure-herb_words")
    assert {word for words, _ in drawn for word in words} == {"bald", "wise"}
    fresh.get_by_text("Choose topics").focus()
    fresh.keyboard.press("Enter")
    fresh.get_by_role("checkbox", name="looks").press("Space")
    left = lines(fresh, "figure-herb_words")
    assert [words for words, _ in left] == [["wise"]] * len(drawn)  # "bald" is of looks
    assert all(n == len(words) for words, n in left)
    assert "off=looks" in fresh.url
    rows = fresh.locator("#table-sentence-sets-pronouns tr[data-topic=a]:visible")
    assert rows.count() > 0
    fresh.get_by_role("checkbox", name="a", exact=True).uncheck()
    assert rows.count() == 0
    fresh.reload()
    fresh.evaluate("document.querySelectorAll('main details').forEach((of) => (of.open = true))")
    assert rows.count() == 0
    assert not fresh.get_by_role("checkbox", name="looks", include_hidden=True).is_checked()
    fresh.get_by_role("button", name="Show all").click()
    assert rows.count() > 0
    assert "off=" not in fresh.url


@pytest.mark.nightly
def test_search_finds_a_row_of_a_folded_table_and_goes_there(fresh):
    fresh.get_by_role("searchbox", name="Search").fill("country br excess")
    hits = fresh.locator("#found button")
    assert hits.count() > 0
    hits.first.click()
    row = fresh.locator("tr:focus")
    expect(row).to_be_in_viewport()
    assert "Country BR" in row.inner_text()
    fresh.get_by_role("searchbox", name="Search").fill("no such thing")
    expect(fresh.get_by_text("nothing found")).to_be_visible()


def test_three_questions_are_answered_within_two_clicks_and_200_words(fresh):
    said = which_is_more_biased(fresh)
    assert "Cannot tell which is further from no bias : D²" in said
    assert "base and placebo Cannot tell" in said
    assert "p = 0" in said
    said = which_words_drive(fresh, "herb")
    assert "strong (planted, strength 2) 4 words of D2 bald" in said
    said = what_to_write(fresh)
    assert re.search(r": -?[\d.−]+ \([^)]+\) .*; without bias 0; p (= |< )[\d.]+\.", said)


@pytest.mark.nightly
def test_a_link_opens_what_it_leads_into(fresh):
    assert fresh.locator("#table-crossed").is_hidden()
    fresh.locator(".answer a").first.click()
    expect(fresh.locator("h3#herb")).to_be_in_viewport()


@pytest.mark.nightly
def test_a_model_has_one_colour_and_one_symbol_in_all_figures(page):
    result = page.evaluate(
        "[...document.querySelectorAll('.js-plotly-plot')].flatMap((plot) => plot.data)"
        ".filter((of) => of.name === 'strong (planted, strength 2)').flatMap((of) => of.marker.symbol"
        ".map((symbol) => [of.marker.color, symbol.replace('-open', '')]))"
    )
    assert len(result) > 3
    assert len(set(map(tuple, result))) == 1


@pytest.mark.parametrize("kind", ["SVG", "PNG"])
@pytest.mark.nightly
def test_a_figure_can_be_taken_along(page, kind):
    with page.expect_download() as download:
        page.locator("#figure-herb_continents").get_by_role("button", name=kind).click()
    assert download.value.suggested_filename == f"herb_continents.{kind.lower()}"
    content = Path(download.value.path()).read_bytes()
    if kind == "SVG":
        assert content.startswith(b"<svg")
        assert content.count(b"<svg") > 1
    else:
        assert Image.open(io.BytesIO(content)).width > 1000


@pytest.mark.nightly
def test_methods_are_copied(browser, page_file):
    with opened(browser, page_file, folded=True, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.locator("nav a", has_text="For the paper").click()
        page.get_by_role("button", name="Copy the methods").click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        assert "As a scale" in page.evaluate("navigator.clipboard.readText()")


@pytest.mark.nightly
def test_the_line_to_cite_a_number_by_is_shown_and_copied(browser, page_file):
    with opened(browser, page_file, folded=True, permissions=["clipboard-read", "clipboard-write"]) as page:
        of_herb = page.locator(".answer[data-part=herb]")
        expect(of_herb.locator(".cite")).to_have_count(len(LINES))
        row = of_herb.locator("[data-model=strong]")
        expect(row.get_by_text(LINES["strong"])).to_be_hidden()
        row.locator("summary").press("Enter")
        expect(row.get_by_text(LINES["strong"])).to_be_visible()
        row.get_by_role("button", name="Copy").press("Enter")
        expect(row.get_by_role("button", name="Copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == LINES["strong"]


def test_maps_have_their_countries_and_tell_their_numbers(page):
    maps = page.locator("figure.drawn").filter(has=page.locator(".geo"))
    expect(maps).to_have_count(2)
    shapes = [feature["properties"]["iso2"] for feature in toy.GEOJSON["features"]]
    n_known = len(set(shapes) & set(toy.COUNTRIES["iso2"]))
    panels = maps.first.locator(".js-plotly-plot")
    assert panels.count() == len(of_herb.PLANTED)
    for panel in panels.all():
        assert panel.locator(".main-svg").first.bounding_box()["width"] <= panel.bounding_box()["width"] + 1
        expect(panel.locator("path.choroplethlocation")).to_have_count(len(shapes) + n_known)
    of_tasks = maps.last.locator(".js-plotly-plot").first
    of_tasks.scroll_into_view_if_needed()
    box = of_tasks.locator(".geo .bg").bounding_box()
    page.mouse.move(box["x"] + 0.35 * box["width"], box["y"] + 0.57 * box["height"])
    expect(page.locator(".hoverlayer").filter(has_text="Country BR")).to_contain_text(f"n = {toy.TEXTS}")


@pytest.mark.nightly
def test_another_description_is_chosen_for_all_maps_and_kept_in_the_address(fresh):
    fresh.evaluate("document.querySelectorAll('main details').forEach((of) => (of.open = true))")
    figure = fresh.locator("#figure-herb_map")
    figure.scroll_into_view_if_needed()
    choice = figure.get_by_role("combobox", name="Description")
    values = "[...document.querySelectorAll('#figure-herb_map .js-plotly-plot')].map((of) => of.data.at(-1).z)"
    expect(choice).to_have_value("bald")
    expect(figure.locator(".js-plotly-plot")).to_have_count(len(of_herb.PLANTED))
    drawn = fresh.evaluate(values)
    choice.select_option("wise")
    # of two descriptions, one lies as far above their mean as the other below it
    for one, other in zip(drawn, fresh.evaluate(values), strict=True):
        assert other == pytest.approx([-value for value in one], rel=1e-2)
    assert "description=wise" in fresh.url
    text = fresh.evaluate("document.querySelector('#figure-herb_map .js-plotly-plot').data.at(-1).text[0]")
    assert re.search(r"none.*<br>−?\d", text)
    fresh.reload()
    fresh.evaluate("document.querySelectorAll('main details').forEach((of) => (of.open = true))")
    figure.scroll_into_view_if_needed()
    expect(choice).to_have_value("wise")
    choice.select_option("bald")
    assert fresh.evaluate(values) == [pytest.approx(value, rel=1e-2) for value in drawn]
    assert "description=" not in fresh.url


def column(page, table, place):
    """What the cells of a column that are seen say in large."""
    cells = page.locator(f"#{table} tbody tr:visible > :nth-child({place})").all_inner_texts()
    return [cell.split("\n")[0] for cell in cells]


def test_tables_sort_and_filter_and_can_be_taken_along(page):
    table = "table-downstream-ends-reviews"
    as_made = column(page, table, 4)
    effects = [float(text.replace("−", "-")) for text in as_made]
    head = page.locator(f"#{table} thead th").nth(3)
    for direction, wanted in (("ascending", sorted(effects)), ("descending", sorted(effects, reverse=True))):
        head.get_by_role("button").press("Enter")
        assert head.get_attribute("aria-sort") == direction
        assert [float(text.replace("−", "-")) for text in column(page, table, 4)] == wanted
    head.get_by_role("button").press("Enter")
    assert head.get_attribute("aria-sort") is None
    assert column(page, table, 4) == as_made
    page.get_by_role("searchbox", name="Filter Largest and smallest excess, reviews").fill("strong")
    assert set(column(page, table, 1)) == {"strong (planted, strength 2)"}
    expect(page.get_by_text(f"10 of {len(effects)} rows")).to_be_visible()
    with page.expect_download() as download:
        page.locator(f"a[download='{table}.csv']").click()
    taken = pd.read_csv(download.value.path())
    assert len(taken) == len(effects)
    assert taken.columns[3] == "Excess"
    assert page.locator("#table-w button").count() == 0  # of few rows


@pytest.mark.nightly
def test_print_has_the_pictures_and_every_row(page):
    page.locator("main").get_by_role("searchbox").first.fill("nothing is called so")
    page.emulate_media(media="print")
    assert page.locator(".panels:visible, aside:visible, .tools:visible").count() == 0
    assert page.locator("figure img:visible").count() == page.locator("figure img").count()
    assert page.locator("tr[hidden]:visible").count() == page.locator("tr[hidden]").count() > 0
    page.emulate_media(media="screen")


@pytest.mark.nightly
def test_contents_lead_to_every_section(page):
    links = page.locator("nav[aria-label=Contents] a:visible")
    assert links.count() > 15
    for link in links.all():
        assert page.locator(f"h2{link.get_attribute('href')}").count() == 1
    skip = page.get_by_text("Skip to the overview")
    skip.focus()
    expect(skip).to_be_in_viewport()


@pytest.mark.nightly
def test_contents_are_folded_where_there_is_no_room_beside_the_page(browser, page_file):
    with opened(browser, page_file, 390, folded=True) as page:
        assert page.locator("nav a:visible").count() == 0
        page.locator("#menu > summary").press("Enter")
        assert page.locator("nav a:visible").count() > 15


def test_without_scripts_all_is_there(browser, any_page):
    with opened(browser, any_page, 390, java_script_enabled=False) as page:
        for summary in page.locator("main summary").all():
            summary.click()
        assert page.locator("figure img:visible").count() == page.locator("figure img").count()
        assert page.locator("tr:visible").count() == page.locator("tr").count()
        assert page.locator("nav a:visible").count() > 15
        assert page.locator("button:visible, input:visible, .panels").count() == 0


def test_page_is_html_as_it_is_defined(any_page):
    assert any_page.stat().st_size < 20e6
    parser = HTMLParser()
    parser.parse(without_scripts(any_page.read_text()))
    assert parser.errors == []
    named = [element.get("id") for element in parser.tree.get_document().iter() if element.get("id")]
    assert len(named) == len(set(named))


@pytest.mark.nightly
def test_a_saved_table_has_the_real_numbers_one_a_cell(page):
    table = "table-downstream-ends-reviews"
    with page.expect_download() as download:
        page.locator(f"a[download='{table}.csv']").click()
    taken = pd.read_csv(download.value.path())
    numbers = toy.numbers_of()
    shown = {}
    for name, scale in (("Excess", 1), ("Effect", 100)):
        is_shown = (numbers["variant"] == name.lower()) & (numbers["unit"] == "country")
        of_task = numbers[is_shown & numbers["group"].str.startswith("reviews/")]
        wanted = scale * of_task[["estimate", "ci_low", "ci_high"]].to_numpy()
        shown[name] = [name, f"{name}, low", f"{name}, high"]
        for values in taken[shown[name]].to_numpy(float):
            assert np.isclose(wanted, values, rtol=0, atol=2e-7).all(axis=1).any()
    assert set(taken.columns) == {
        *("Model", "Country", "Continent", *shown["Excess"], *shown["Effect"]),
        *("p", "SD, sets", "Labels", "Labels, low", "Labels, high"),
    }
    assert taken["p"].between(0, 1).all()  # also where the page has "< 0.001"
    assert not taken.astype(str).apply(lambda table: table.str.contains(" to |<")).any(axis=None)


# --- how it looks ---


def pixels(locator):
    return np.asarray(Image.open(io.BytesIO(locator.screenshot())).convert("RGB")).astype(int)


def background(page):
    result = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return [int(value) for value in re.findall(r"\d+", result)]


@pytest.mark.parametrize(
    ("width", "scheme"),
    [(900, "dark"), *(pytest.param(*how, marks=pytest.mark.nightly) for how in ((900, "light"), (390, "light")))],
)
@pytest.mark.nightly
def test_a_table_that_scrolls_casts_a_shadow_where_it_goes_on(browser, page_file, width, scheme):
    with opened(browser, page_file, width, color_scheme=scheme) as page:
        regions = page.locator(".wide:visible:has(table)")
        scrolls = [region.evaluate("of => of.scrollWidth - of.clientWidth") for region in regions.all()]
        places = [scrolls.index(max(scrolls))]
        places += [scrolls.index(0)] if width == 900 else []  # a table that fits has no shadow
        for place in places:
            region = regions.nth(place)
            edge = pixels(region)[:, -3:].reshape(-1, 3)
            is_shaded = np.abs(edge - background(page)).max(axis=1) > 20
            assert (is_shaded.mean() > 0.9) == (scrolls[place] > 0)
            if scrolls[place]:
                region.evaluate("of => { of.scrollLeft = of.scrollWidth }")
                edge = pixels(region)[:, -3:].reshape(-1, 3)
                assert (np.abs(edge - background(page)).max(axis=1) > 20).mean() < 0.5


def test_on_a_phone_the_names_of_rows_leave_room_for_numbers(browser, page_file):
    with opened(browser, page_file, 390) as page:
        of_rows = page.locator(".plain tbody tr:first-child > th:visible, .numbers tbody tr:first-child > th:visible")
        assert of_rows.count() > 20
        widths = [name_cell.bounding_box()["width"] for name_cell in of_rows.all()]
        assert max(widths) <= 0.4 * 358  # of what a table can be seen of


@pytest.mark.nightly
def test_pictures_and_maps_have_the_page_for_their_middle_in_both_modes(browser, page_file):
    for scheme in ("light", "dark"):
        with opened(browser, page_file, color_scheme=scheme) as page:
            images = page.locator("figure:not(.plot) img")
            assert images.count() > 0
            for image in images.all():
                assert np.abs(pixels(image)[2, 2] - background(page)).max() <= 2
            scales = page.evaluate(
                "[...document.querySelectorAll('.js-plotly-plot')].flatMap(plot => plot.data)"
                ".filter(trace => trace.colorbar).map(trace => trace.colorscale)"
            )
            assert len(scales) >= 4
            luminance = {at: np.mean(rgb(colour)) for at, colour in scales[0]}
            middle = next(rgb(colour) for at, colour in scales[0] if at == 0.5)
            assert middle == background(page)
            assert all((luminance[0.5] < value) == (scheme == "dark") for at, value in luminance.items() if at != 0.5)
            assert all(scale == scales[0] for scale in scales)


def rgb(colour):
    """Of "#fff" or "#ffffff"."""
    digits = colour.removeprefix("#")
    return [int(digit_pair * (6 // len(digits)), 16) for digit_pair in re.findall("." * (len(digits) // 3), digits)]


@pytest.mark.nightly
def test_a_caption_is_of_the_form_that_is_seen(page):
    drawn = page.locator("figure.drawn figcaption")
    page.emulate_media(media="screen")
    assert sum(caption.locator(".in-plot:visible").count() for caption in drawn.all()) >= 1
    for caption in drawn.all():
        assert not re.search(r"in the picture|(?<!with )thin lines", caption.inner_text())
    page.emulate_media(media="print")
    assert sum(caption.locator(".in-plot:visible").count() for caption in drawn.all()) == 0
    page.emulate_media(media="screen")


# --- a page of its own for what no metric's toy has ---

_OWN = """{% from "macros.html.j2" import figure, value %}
<section aria-labelledby="own"><h2 id="own">Own</h2>
{% call figure(picture, "Small numbers") %}Small numbers.{% endcall %}
<div class="wide" tabindex="0" role="region" aria-label="Effects"><table class="plain" id="table-own">
<caption><span>Effects.</span></caption>
<thead><tr><th scope="col" class="row">Name</th><th scope="col" class="left">Effect</th></tr></thead>
<tbody>{% for name, r2, effect in rows %}
<tr><th scope="row">{{ name }}</th><td class="left" data-sort="{{ r2 }}">{{ value(effect) }}</td></tr>
{% endfor %}</tbody>
</table></div></section>"""


@pytest.fixture
def own_page(browser, tmp_path):
    rows = pd.DataFrame({"line": ["a", "b"], "series": "s", "model": "m", "planted": None})
    rows = rows.assign(estimate=[1e-4, 3e-4], ci_low=[5e-5, 2e-4], ci_high=[2e-4, 5e-4])
    picture = pictures_of({"own": rows}, tmp_path)["own"]
    (tmp_path / "own.html.j2").write_text(_OWN)
    bands = ["small", "very large", "medium", "large", "very small"] * 2
    r2 = {"very small": 0.001, "small": 0.05, "medium": 0.1, "large": 0.5, "very large": 0.9}
    facts = {
        "picture": shown(picture, "small numbers", "own", [interactive.forest("", rows, "share")]),
        "rows": [(f"row {i}", r2[band] + i / 1e6, band) for i, band in enumerate(bands)],
    }
    room = Room("Own", [("own", "Own")], render(tmp_path, "own.html.j2", facts))
    file = tmp_path / "index.html"
    file.write_text(build([room], [], rooms_page.STUDY, {"libraries": {"numpy": "2.9"}}))
    with opened(browser, file) as page:
        yield page


def test_ticks_are_powers_of_ten_and_no_prefixes_of_units(own_page):
    ticks = own_page.locator(".xtick text").all_text_contents()
    assert len(ticks) >= 3
    assert not [tick for tick in ticks if re.search("[µμmnpkMGB]", tick)]
    assert [tick for tick in ticks if "×10" in tick or "0.000" in tick]


def test_a_column_of_words_sorts_by_what_they_stand_for(own_page):
    own_page.locator("#table-own thead th").nth(1).get_by_role("button").press("Enter")
    assert column(own_page, "table-own", 2)[::2] == ["very small", "small", "medium", "large", "very large"]
