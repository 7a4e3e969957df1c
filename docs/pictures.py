"""Take the picture of the README from the demo's report (`make pictures`): its beginning, as a browser shows it."""

import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

WIDTH, HEIGHT = 1280, 860  # CSS pixels

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    page.goto(Path("results/demo/report/index.html").resolve().as_uri())
    page.locator("figure.plot").first.scroll_into_view_if_needed()
    page.screenshot(path="docs/report.png")
    browser.close()
