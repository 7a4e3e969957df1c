"""What a reader does with the page: hides, searches, copies, saves, prints."""

import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from playwright.sync_api import expect
from tests.metrics.downstream import toy
from tests.metrics.herb import example as of_herb
from tests.page.conftest import LINES
from tests.reports import opened

pytestmark = pytest.mark.nightly  # opens a page in a browser many times (two minutes)


def marks(page):
    """Marks of each model in the first figure."""
    return page.evaluate(
        "document.querySelector('#figure-answers .js-plotly-plot').data.map((of) => [of.models, of.x.length])"
    )


def lines(page, figure):
    """Of each panel of a figure that is seen the texts beside its lines, and how many lines have marks."""
    return page.evaluate(
        "(id) => [...document.querySelectorAll(`#${id} .js-plotly-plot`)].filter((of) => of.checkVisibility())"
        ".map((of) => [of.layout.yaxis.ticktext, new Set(of.data.flatMap(({ y }) => y.map(Math.round))).size])",
        figure,
    )


def pixels(locator):
    return np.asarray(Image.open(io.BytesIO(locator.screenshot())).convert("RGB")).astype(int)


def background(page):
    result = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return [int(value) for value in re.findall(r"\d+", result)]


def rgb(colour):
    """Of "#fff" or "#ffffff"."""
    digits = colour.removeprefix("#")
    return [int(digit_pair * (6 // len(digits)), 16) for digit_pair in re.findall("." * (len(digits) // 3), digits)]


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


def test_a_link_opens_what_it_leads_into(fresh):
    assert fresh.locator("#table-crossed").is_hidden()
    fresh.locator(".answer a").first.click()
    expect(fresh.locator("h3#herb")).to_be_in_viewport()


def test_a_model_has_one_colour_and_one_symbol_in_all_figures(page):
    result = page.evaluate(
        "[...document.querySelectorAll('.js-plotly-plot')].flatMap((plot) => plot.data)"
        ".filter((of) => of.name === 'strong (planted, strength 2)').flatMap((of) => of.marker.symbol"
        ".map((symbol) => [of.marker.color, symbol.replace('-open', '')]))"
    )
    assert len(result) > 3
    assert len(set(map(tuple, result))) == 1


@pytest.mark.parametrize("kind", ["SVG", "PNG"])
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


def test_methods_are_copied(browser, page_file):
    with opened(browser, page_file, folded=True, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.locator("nav a", has_text="For the paper").click()
        page.get_by_role("button", name="Copy the methods").click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        assert "As a scale" in page.evaluate("navigator.clipboard.readText()")


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


def test_print_has_the_pictures_and_every_row(page):
    page.locator("main").get_by_role("searchbox").first.fill("nothing is called so")
    page.emulate_media(media="print")
    assert page.locator(".panels:visible, aside:visible, .tools:visible").count() == 0
    assert page.locator("figure img:visible").count() == page.locator("figure img").count()
    assert page.locator("tr[hidden]:visible").count() == page.locator("tr[hidden]").count() > 0
    page.emulate_media(media="screen")


def test_contents_lead_to_every_section(page):
    links = page.locator("nav[aria-label=Contents] a:visible")
    assert links.count() > 15
    for link in links.all():
        assert page.locator(f"h2{link.get_attribute('href')}").count() == 1
    skip = page.get_by_text("Skip to the overview")
    skip.focus()
    expect(skip).to_be_in_viewport()


def test_contents_are_folded_where_there_is_no_room_beside_the_page(browser, page_file):
    with opened(browser, page_file, 390, folded=True) as page:
        assert page.locator("nav a:visible").count() == 0
        page.locator("#menu > summary").press("Enter")
        assert page.locator("nav a:visible").count() > 15


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


@pytest.mark.parametrize(
    ("width", "scheme"),
    [(900, "dark"), (900, "light"), (390, "light")],
)
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


def test_a_caption_is_of_the_form_that_is_seen(page):
    drawn = page.locator("figure.drawn figcaption")
    page.emulate_media(media="screen")
    assert sum(caption.locator(".in-plot:visible").count() for caption in drawn.all()) >= 1
    for caption in drawn.all():
        assert not re.search(r"in the picture|(?<!with )thin lines", caption.inner_text())
    page.emulate_media(media="print")
    assert sum(caption.locator(".in-plot:visible").count() for caption in drawn.all()) == 0
    page.emulate_media(media="screen")
