"""What tests of the report share: pictures to put in, and ways to look at a page."""

import base64
import hashlib
import random
import re

from herbarium.figures import style
from herbarium.report.pictures import Picture


def pictures_of(tables, folder):
    """A picture for each figure, of the table that it was drawn from; what the picture itself shows is no matter."""
    style.save(style.note("a figure"), [folder / "figure.png"])
    png = (folder / "figure.png").read_bytes()
    return {name: Picture(png, table.to_csv(index=False).encode()) for name, table in tables.items()}


def without_scripts(page):
    """A page without the scripts that its content policy allows, and without data, where a `<` is written as its
    number.
    """
    allowed = set(re.findall(r"'(sha256-[^']+)'", page))

    def of(match):
        kind, text = match.groups()
        if kind:
            assert "<" not in text
        else:
            assert "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in allowed
        return ""

    return re.sub(r'<script( type="application/json"(?: id="outlines")?)?>(.*?)</script>', of, page, flags=re.DOTALL)


def assert_numbers_are_in(summary, page, n=50):
    """Of a page, n random cells that have an interval: each is a row of the tidy table, rounded, as it is, in per cent
    or in thousandths.
    """
    number = r"(−?[\d.]+)"
    cell = rf'<td[^>]*>{number}\s*<span class="interval">{number} to {number}</span>'
    shown = sorted(set(re.findall(cell, page)))
    assert shown
    known = summary[["estimate", "ci_low", "ci_high"]].dropna().to_numpy(float)
    for texts in random.Random(0).sample(shown, min(n, len(shown))):
        values = [float(text.replace("−", "-")) for text in texts]
        ulp = [10.0 ** -len(text.partition(".")[2]) for text in texts]
        near = [abs(scale * known - values) <= [0.501 * of for of in ulp] for scale in (1, 100, 1000)]
        assert any(of.all(axis=1).any() for of in near), texts
