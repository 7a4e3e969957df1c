"""Take the picture of the README from the demo's report (`make pictures`): its first figure, in a browser."""

import shutil
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

PAGE, PICTURE = Path("results/demo/report/index.html"), Path("docs/report.png")

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1280, "height": 880})  # CSS pixels
    page.goto(PAGE.resolve().as_uri())
    figure = page.locator("figure.plot").first
    figure.scroll_into_view_if_needed()
    expect(page.locator("figure.plot.drawn")).not_to_have_count(0)
    figure.screenshot(path=PICTURE)
    browser.close()
