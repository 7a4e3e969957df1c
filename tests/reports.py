"""What tests of the report share: pictures to put in, and ways to look at a page."""

import base64
import hashlib
import html
import random
import re
from contextlib import contextmanager

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from herbarium.drawing import style
from herbarium.report.pictures import Picture


def pictures_of(tables, folder):
    """A picture for each figure, of the table that it was drawn from; what the picture itself shows is no matter."""
    style.save(style.note("a figure"), [folder / "figure.png"])
    png = (folder / "figure.png").read_bytes()
    return {name: Picture(png, table.to_csv(index=False).encode()) for name, table in tables.items()}


def without_tooltips(text):
    return re.sub(r'<a class="term"[^>]*>(.*?)</a>', r"\1", text)


def words(text):
    """What a page says, without its tables, as one line."""
    body = re.search(r"<main>(.*)</main>", text, re.DOTALL)[1]
    body = re.sub(r"<table.*?</table>|<img.*?>", " ", without_tooltips(body), flags=re.DOTALL)
    shown_text = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body).replace("&nbsp;", " ")).split())
    return re.sub(r" ([.,:;])", r"\1", shown_text)


def shown(text):
    """What the rooms of a page show, for a snapshot: a line a paragraph, item or row of a table; with links."""
    body = re.search(r"<main>(.*?)(?:<section aria-labelledby=\"glossary\".*)?</main>", text, re.DOTALL)[1]
    body = re.sub(r"<(script|style|svg)\b.*?</\1>|<img.*?>", "", without_tooltips(body), flags=re.DOTALL)
    body = " ".join(body.split())
    body = re.sub(r'<a [^>]*href="(#[^"]*)"[^>]*>(.*?)</a>', r"\2 [\1]", body)
    body = re.sub(r'<(table|details|section) [^>]*?(?:id|aria-labelledby)="([^"]*)"[^>]*>', r"\n(\1 \2)\n", body)
    body = re.sub(r"</t[hd]>", " | ", re.sub(r"</(?:tr|p|li|dd|h\d|caption|details|summary|table|div)>", "\n", body))
    lines = html.unescape(re.sub(r"<[^>]*>", "", body).replace("&nbsp;", " ")).split("\n")
    return "\n".join(line for line in (" ".join(line.split()) for line in lines) if line)


def table(text, name):
    """Rows of a table of the page, each a list of the texts of its cells."""
    body = re.search(rf'id="{name}".*?<tbody>(.*?)</tbody>', text, re.DOTALL)[1]
    body = re.sub(r"</?data\b.*?>", "", body)  # what a text is the number of
    cells = [re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row, re.DOTALL) for row in body.split("</tr>")[:-1]]
    return [[html.unescape(" ".join(re.sub(r"<.*?>", " ", cell).split())) for cell in row] for row in cells]


def without_scripts(page):
    """A page without the scripts that its content policy allows, and without data, where a `<` is written as its
    number.
    """
    allowed = set(re.findall(r"'(sha256-[^']+)'", page))

    def replacement(match):
        kind, text = match.groups()
        if kind:
            assert "<" not in text
        else:
            assert "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in allowed
        return ""

    return re.sub(
        r'<script( type="application/json"(?: id="(?:outlines|looks)")?)?>(.*?)</script>',
        replacement,
        page,
        flags=re.DOTALL,
    )


def assert_numbers_are_in(summary, page, n=50):
    """Of a page, n random cells that have an interval: each is a row of the tidy table, rounded, as it is, in per cent
    or in thousandths.
    """
    number = r"(?:<data[^>]*>)?(−?[\d.]+)(?:</data>)?"
    cell = rf'<td[^>]*>{number}\s*<span class="interval">{number} to {number}</span>'
    # of these three rooms the numbers are in files of their own
    page = re.sub(
        r'<section aria-labelledby="(changes|reliability|error-rates)">.*?</section>', "", page, flags=re.DOTALL
    )
    shown = sorted(set(re.findall(cell, page)))
    assert shown
    known = summary[["estimate", "ci_low", "ci_high"]].dropna().to_numpy(float)
    for texts in random.Random(0).sample(shown, min(n, len(shown))):
        values = [float(text.replace("−", "-")) for text in texts]
        ulp = [10.0 ** -len(text.partition(".")[2]) for text in texts]
        near = [abs(scale * known - values) <= [0.501 * last_digit for last_digit in ulp] for scale in (1, 100, 1000)]
        assert any(is_near.all(axis=1).any() for is_near in near), texts


@contextmanager
def opened(browser, file, width=1280, folded=False, **settings):
    """The page with all that is folded unfolded (but for the menu of a narrow one), or as it opens; every figure seen
    once. Nothing may go wrong on it, and nothing be asked of a network."""
    context = browser.new_context(viewport={"width": width, "height": 900}, **settings)
    page, troubles = context.new_page(), []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda request: troubles.append(request.url) if request.url.startswith("http") else None)
    page.goto(file.as_uri())
    if settings.get("java_script_enabled", True):
        if not folded:
            page.evaluate("document.querySelectorAll('main details').forEach((of) => (of.open = true))")
        # what is drawn moves what is below it
        for figure in page.locator("figure.plot:visible").all():
            figure.scroll_into_view_if_needed()
            expect(figure).to_have_class("plot drawn")
        page.evaluate("scrollTo(0, 0)")
    yield page
    assert troubles == []
    context.close()


def assert_fits_and_has_no_barrier(page):
    """Nothing is wider than the page, every image is shown, and axe-core finds nothing serious."""
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert page.evaluate("[...document.images].filter((image) => !image.naturalWidth).length") == 0
    result = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    serious = [violation for violation in result if violation["impact"] in ("serious", "critical")]
    assert [(violation["id"], [node["html"][:200] for node in violation["nodes"]][:3]) for violation in serious] == []


def assert_opens(browser, file):
    """The report of a study on a phone: nothing goes wrong, it fits, has no barrier, and draws its plots."""
    with opened(browser, file, 390) as page:
        assert_fits_and_has_no_barrier(page)
        assert page.locator("figure.drawn").count() > 0
