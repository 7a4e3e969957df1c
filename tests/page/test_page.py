"""The report as a browser shows it: a page of every part, opened in Chromium.

HERBARIUM_PAGE=results/demo/report/index.html looks at that page as well.
"""

import os
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import expect
from tests.metrics.categorical_bias import test_figures as bias_figures
from tests.metrics.categorical_bias import test_report as bias_page
from tests.metrics.crows_pairs import test_report as pairs_page
from tests.metrics.downstream import test_report as tasks_page
from tests.metrics.downstream import toy
from tests.metrics.herb import test_report as herb_page
from tests.metrics.mixed_effects import test_figures as mixed_figures
from tests.metrics.mixed_effects import test_report as mixed_page
from tests.metrics.propagation import test_figures as propagation_figures
from tests.metrics.propagation import test_report as propagation_page
from tests.metrics.sentence_sets import test_report as sets_page
from tests.metrics.sentence_sets import toy as sets_toy
from tests.page import test_rooms as rooms_page
from tests.reports import assert_fits_and_has_no_barrier, opened, pictures_of, without_scripts
from tests.study import test_calibration as planted
from tinyhtml5.parser import HTMLParser

from herbarium.metrics.downstream.figures import map as downstream_map
from herbarium.metrics.downstream.figures import planted as downstream_planted
from herbarium.metrics.downstream.figures import ranking as downstream_ranking
from herbarium.metrics.propagation.figures import scatter
from herbarium.metrics.sentence_sets.figures import forest
from herbarium.metrics.sentence_sets.report import part as sentence_sets
from herbarium.page.build import build
from herbarium.page.calibration import calibration
from herbarium.page.limits import limits
from herbarium.page.overview import overview
from herbarium.page.provenance import provenance
from herbarium.page.reproduction import reproduction
from herbarium.page.uncertainty import uncertainty
from herbarium.scoring.refusals import REFUSALS

pytestmark = pytest.mark.slow  # opens a page in a browser four times (half a minute)


# --- the page ---


def of_tasks(folder):
    """The parts on tasks, and on what predicts what a region changes in them."""
    numbers = toy.numbers_of()
    countries, correlations, everything = propagation_figures.propagated(numbers)
    tables = {
        "downstream_map": downstream_map.table(numbers, toy.PREFIXES, toy.WHERE, toy.GEOJSON),
        "downstream_ranking": downstream_ranking.table(numbers, toy.PREFIXES, toy.WHERE),
        "downstream_planted": downstream_planted.table(numbers, toy.PREFIXES, toy.WHERE, toy.LEAN, toy.STRENGTHS),
        "propagation_scatter": scatter.table(countries, everything, toy.REGIONS, toy.WHERE),
    }
    pictures = pictures_of(tables, folder)
    classifiers = [tasks_page.classifier(model, planted) for model, planted in toy.MODELS.items()]
    tasks = [tasks_page.task(planted, classifiers, name, toy.PREFIXES[name]) for name, planted in toy.STRENGTHS.items()]
    own = tasks_page.written(numbers.to_dict("records"), tasks, pictures=pictures)
    labels = {name: name for name in toy.MODELS}
    beside = propagation_page.written(correlations, pictures, list(toy.STRENGTHS), labels.items())
    return [own, beside]


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """A page of every part, each of the numbers of its own tests."""
    folder = tmp_path_factory.mktemp("page")

    def drawn(metric, modules):
        return pictures_of({f"{metric}_{name}": table() for name, (_, table) in modules.items()}, folder)

    models, summary = herb_page.PLANTED_MODELS, herb_page.summary(herb_page.PLANTED)
    sets = sets_page.rows_of()
    parts = [
        herb_page.part_of(summary, models, folder, toy.REGIONS),
        bias_page.written(drawn("categorical_bias", bias_figures.ALL)),
        mixed_page.written(drawn("mixed_effects", mixed_figures.ALL)),
        pairs_page.written(),
        sentence_sets.part(
            sets, sets_toy.ENTRIES, sets_page.MODELS, pictures_of({"sentence_sets_forest": forest.table(sets)}, folder)
        ),
        *of_tasks(folder),
    ]
    refusals = pd.DataFrame([("weak", "herb", "cut", True, 2, 10)], columns=REFUSALS.fields.names)
    rooms = [
        overview(parts, models),
        *parts,
        calibration(pictures_of({"calibration": planted.drawn()}, folder)["calibration"]),
        reproduction(rooms_page.OURS, [*parts, rooms_page.LEANING]),
        uncertainty(summary, refusals, parts),
        limits(parts),
        provenance(rooms_page.MADE, rooms_page.STUDY),
    ]
    file = folder / "index.html"
    file.write_text(build(rooms, models, rooms_page.STUDY, {"libraries": {"numpy": "2.9"}}, toy.GEOJSON))
    return file


@pytest.fixture(scope="module")
def page(browser, page_file):
    with opened(browser, page_file) as page:
        yield page


# --- what it shows ---


@pytest.fixture(params=["every part", *filter(None, [os.environ.get("HERBARIUM_PAGE")])])
def any_page(request, page_file):
    return page_file if request.param == "every part" else Path(request.param).resolve()


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_page_fits_shows_all_and_has_no_barrier(browser, any_page, width, scheme):
    with opened(browser, any_page, width, color_scheme=scheme) as page:
        assert_fits_and_has_no_barrier(page)
        assert page.locator("figure.drawn").count() >= 11


def test_maps_have_their_countries_and_tell_their_numbers(page):
    maps = page.locator("figure.drawn").filter(has=page.locator(".geo"))
    expect(maps).to_have_count(2)
    shapes = [feature["properties"]["iso2"] for feature in toy.GEOJSON["features"]]
    n_known = len(set(shapes) & set(toy.COUNTRIES["iso2"]))
    panels = maps.first.locator(".js-plotly-plot")
    assert panels.count() == len(herb_page.PLANTED)
    for panel in panels.all():
        assert panel.locator(".main-svg").first.bounding_box()["width"] <= panel.bounding_box()["width"] + 1
        expect(panel.locator("path.choroplethlocation")).to_have_count(len(shapes) + n_known)
    of_tasks = maps.last.locator(".js-plotly-plot").first
    of_tasks.scroll_into_view_if_needed()
    box = of_tasks.locator(".geo .bg").bounding_box()
    page.mouse.move(box["x"] + 0.35 * box["width"], box["y"] + 0.57 * box["height"])
    expect(page.locator(".hoverlayer").filter(has_text="Country BR")).to_contain_text("n = 40")


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
    page.get_by_role("searchbox", name="Filter Largest and smallest effects, reviews").fill("strong")
    assert set(column(page, table, 1)) == {"strong (planted 2)"}
    expect(page.get_by_text(f"10 of {len(effects)} rows")).to_be_visible()
    with page.expect_download() as download:
        page.locator(f"a[download='{table}.csv']").click()
    taken = pd.read_csv(download.value.path())
    assert len(taken) == len(effects)
    assert taken.columns[3] == "Effect"
    assert page.locator("#table-w button").count() == 0  # of few rows


def test_print_has_the_pictures_and_every_row(page):
    page.get_by_role("searchbox").first.fill("nothing is called so")
    page.emulate_media(media="print")
    assert page.locator(".panels:visible, nav:visible, .tools:visible").count() == 0
    assert page.locator("figure img:visible").count() == page.locator("figure img").count()
    assert page.locator("main details:not([open]) tr:visible").count() > 0
    assert page.locator("tr[hidden]:visible").count() == page.locator("tr[hidden]").count() > 0
    page.emulate_media(media="screen")


def test_contents_open_and_lead_to_every_section(page):
    page.locator("nav summary").press("Enter")
    links = page.locator("nav a:visible")
    assert links.count() > 15
    for link in links.all():
        assert page.locator(f"h2{link.get_attribute('href')}").count() == 1
    skip = page.get_by_text("Skip to the overview")
    skip.focus()
    expect(skip).to_be_in_viewport()


def test_without_scripts_all_is_there(browser, any_page):
    with opened(browser, any_page, 390, java_script_enabled=False) as page:
        assert page.locator("figure img:visible").count() == page.locator("figure img").count()
        for summary in page.locator("main summary").all():
            summary.click()
        assert page.locator("tr:visible").count() == page.locator("tr").count()
        assert page.locator("button, .panels").count() == 0


def test_page_is_html_as_it_is_defined(any_page):
    assert any_page.stat().st_size < 20e6
    parser = HTMLParser()
    parser.parse(without_scripts(any_page.read_text()))
    assert parser.errors == []
    named = [element.get("id") for element in parser.tree.get_document().iter() if element.get("id")]
    assert len(named) == len(set(named))
