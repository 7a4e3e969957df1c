"""The report as a browser shows it."""

import re

import pandas as pd
import pytest
from playwright.sync_api import expect
from tests.metrics.downstream import toy
from tests.metrics.herb import example as of_herb
from tests.page import test_rooms as rooms_page
from tests.page.length import length
from tests.questions import what_to_write, which_is_more_biased, which_words_drive
from tests.reports import assert_fits_and_has_no_barrier, opened, pictures_of, without_scripts
from tinyhtml5.parser import HTMLParser

from herbarium.drawing import panels as interactive
from herbarium.page.build import Room, build
from herbarium.report.part import render
from herbarium.report.pictures import shown

pytestmark = pytest.mark.slow  # opens a page in a browser several times (a minute)


def column(page, table, place):
    """What the cells of a column that are seen say in large."""
    cells = page.locator(f"#{table} tbody tr:visible > :nth-child({place})").all_inner_texts()
    return [cell.split("\n")[0] for cell in cells]


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


@pytest.mark.parametrize(
    ("width", "scheme", "folded"),
    [(390, "dark", False), (1280, "light", False), (768, "dark", True), (1280, "light", True)],
)
@pytest.mark.nightly
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


@pytest.mark.nightly
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


def test_three_questions_are_answered_within_two_clicks_and_200_words(fresh):
    said = which_is_more_biased(fresh)
    assert "Cannot tell which is further from no bias : D²" in said
    assert "base and placebo Cannot tell" in said
    assert "p = 0" in said
    said = which_words_drive(fresh, "herb")
    assert "strong (planted, strength 2) 4 words of D2 bald" in said
    said = what_to_write(fresh)
    assert re.search(r": -?[\d.−]+ \([^)]+\) .*; without bias 0; p (= |< )[\d.]+\.", said)


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


def test_on_a_phone_the_names_of_rows_leave_room_for_numbers(browser, page_file):
    with opened(browser, page_file, 390) as page:
        of_rows = page.locator(".plain tbody tr:first-child > th:visible, .numbers tbody tr:first-child > th:visible")
        assert of_rows.count() > 20
        widths = [name_cell.bounding_box()["width"] for name_cell in of_rows.all()]
        assert max(widths) <= 0.4 * 358  # of what a table can be seen of


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
