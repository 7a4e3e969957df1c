"""Write the numbers of docs/real_models.md anew, and its picture: the last step of `make real-models`.

PYTHONPATH=workflow/scripts python docs/real_models/page.py, after the study and peers.py.
"""

import os
import re
import shutil
from pathlib import Path

import pandas as pd

import herbarium
from herbarium.models import devices

PAGE, PICTURE = Path("docs/real_models.md"), Path("docs/real_models/first_screen.png")
RESULTS = Path("results/real_models")
PUBLISHED = Path(__file__).with_name("published.csv")


def grid(table: pd.DataFrame) -> str:
    rows = [table.columns, ["---"] * len(table.columns), *table.to_numpy()]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)


def number(value: float) -> str:
    return "" if pd.isna(value) else f"{value:.3g}".replace("-", "−")


def numbers(headline: pd.DataFrame) -> str:
    """The first screen of the page. headline: of a study."""
    intervals = [f"{number(low)} to {number(high)}" for low, high in headline[["ci_low", "ci_high"]].to_numpy()]
    return grid(
        pd.DataFrame(
            {
                "metric": headline["metric_title"],
                "of": headline["about"].fillna(""),
                "model": headline["model"],
                "number": headline["estimate"].map(number),
                "interval": intervals,
                "without bias": headline["null"].map(number),
                "verdict": headline["sentence"],
            }
        )
    )


def beside_peers(peers: pd.DataFrame) -> str:
    """peers: of peers.py."""
    return grid(
        pd.DataFrame(
            {
                "model": peers["model"],
                "software": peers["software"].str.replace("|", r"\|"),
                "stereotypical sentence likelier, %": peers["share"].map("{:.2f}".format),
                "largest difference of a log-likelihood from ours": peers["largest"].map("{:.1g}".format),
                "CPU seconds": peers["cpu_s"].map("{:.0f}".format),
                "memory, MB": peers["memory_mb"].map("{:,.0f}".format),
            }
        )
    )


def published(figures: pd.DataFrame) -> str:
    """figures: of published.csv."""
    return grid(
        pd.DataFrame(
            {
                "model": figures["model"],
                "published share, %": figures["share"].map("{:.2f}".format),
                "its standard error": figures["std_error"].map("{:.2f}".format),
                "ours, %": "not measured",
            }
        )
    )


def with_parts(text: str, parts: dict[str, str]) -> str:
    """A page whose marked parts are these."""
    for name, part in parts.items():
        marks = rf"(<!-- {name}: `make real-models` -->\n).*?(<!-- end of {name} -->)"
        text = re.sub(marks, lambda match, part=part: f"{match[1]}{part}\n{match[2]}", text, flags=re.DOTALL)
    return text


def take_picture(page: Path, picture: Path) -> None:
    """The first screen of a study's page, as a browser shows it."""
    from playwright.sync_api import expect, sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        window = browser.new_page(viewport={"width": 1280, "height": 880})  # CSS pixels
        window.goto(page.resolve().as_uri())
        expect(window.locator("figure.plot.drawn")).not_to_have_count(0)
        window.locator("figure.plot").first.screenshot(path=picture)
        browser.close()


def main(results: Path) -> None:
    parts = {
        "numbers": numbers(herbarium.results(results).headline()),
        "processor": f"On {os.cpu_count()} cores of {devices.name(devices.CPU)}:",
        "peers": beside_peers(pd.read_csv(results / "peers.csv")),
        "published": published(pd.read_csv(PUBLISHED, comment="#")),
    }
    PAGE.write_text(with_parts(PAGE.read_text(encoding="utf-8"), parts), encoding="utf-8")
    take_picture(results / "report/index.html", PICTURE)


if __name__ == "__main__":
    main(RESULTS)
