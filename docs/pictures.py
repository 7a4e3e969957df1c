"""Take the picture in the README from the demo's report (`make pictures`): its first figure, in a browser."""

import shutil
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

PAGE, PICTURE = Path("results/demo/report/index.html"), Path("docs/report.png")


def take(page: Path, picture: Path) -> None:
    """The first figure of a study's page, as a browser shows it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        window = browser.new_page(viewport={"width": 1280, "height": 880})  # CSS pixels
        window.goto(page.resolve().as_uri())
        figure = window.locator("figure.plot").first
        figure.scroll_into_view_if_needed()
        expect(window.locator("figure.plot.drawn")).not_to_have_count(0)
        figure.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    take(PAGE, PICTURE)
