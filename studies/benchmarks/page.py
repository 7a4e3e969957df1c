"""How soon the page of a study of full size opens, of made-up numbers: 25 models, 17 metrics, a million rows.

Wanted: 3 s, 25 MB. The floor: the same page with scripts switched off, which the browser still has to read and lay out.
Takes the browser of `make browser`.
"""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from studies.benchmarks.shared import Figure, say, size, timed
from tests.page import large

MOST_SECONDS, MOST_MB = 3, 25
METRICS, TIMES = size(large.METRICS, 1), size(5, 1)


def seconds(browser: Browser, file: Path, has_scripts: bool) -> float:
    """Until the first screen is drawn; the least of several times."""

    def once() -> float:
        context = browser.new_context(viewport={"width": 1280, "height": 800}, java_script_enabled=has_scripts)
        page = context.new_page()
        taken, _ = timed(lambda: (page.goto(file.as_uri()), page.screenshot()))
        context.close()
        return taken

    return min(once() for _ in range(TIMES))


def main() -> None:
    chromium = shutil.which("chromium")
    if not chromium:
        print("There is no browser: make browser")
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = large.write(Path(folder), METRICS)
        mb = file.stat().st_size / 1e6
        browser = playwright.chromium.launch(executable_path=chromium)
        opened, bare = (seconds(browser, file, has_scripts) for has_scripts in (True, False))
        browser.close()
    say(
        f"page of full size: {mb:.1f} MB, opens in {opened:.1f} s, without scripts in {bare:.1f} s "
        f"(wanted: {MOST_SECONDS} s, {MOST_MB} MB)",
        Figure("page of full size", opened, "s"),
        Figure("page of full size, time", opened / bare, peer="without scripts"),
        Figure("page of full size, bytes", mb / MOST_MB, peer="what is wanted"),
    )


if __name__ == "__main__":
    main()
