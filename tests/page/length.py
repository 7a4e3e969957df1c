"""How long a page is for those who read it: `python -m tests.page.length results/demo/report/index.html`."""

import re
import sys
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

WIDTH, SCREEN = 1280, 800  # pixels
_SCROLLED = """async () => {
  for (let y = 0; y < document.documentElement.scrollHeight; y += 600) {
    scrollTo(0, y);
    await new Promise(resolve => setTimeout(resolve, 60));
  }
  scrollTo(0, 0);
}"""
_COUNTED = """() => {
  const seen = (of) => of.checkVisibility();
  const words = (text) => text.split(/\\s+/).filter(Boolean).length;
  const main = document.querySelector("main");
  const ofPlots = [...main.querySelectorAll(".panels")].reduce((n, of) => n + words(of.innerText), 0);
  const all = main.cloneNode(true);
  all.querySelectorAll("script, .panels").forEach(of => of.remove());
  return {
    words: words(main.innerText) - ofPlots,
    all_words: words(all.textContent),
    tables: [...document.querySelectorAll("table")].filter(seen).length,
    all_tables: document.querySelectorAll("table").length,
    height: document.documentElement.scrollHeight,
  };
}"""


def length(browser: Browser, file: Path) -> dict[str, float]:
    """Of what is in sight when the page has been opened: `words`, `tables`, `screens`, `pages` of A4; `all_words` and
    `all_tables`, with what is folded; `seconds` until the first screen is drawn; `bytes`."""
    context = browser.new_context(viewport={"width": WIDTH, "height": SCREEN})
    page, start = context.new_page(), time.perf_counter()
    page.goto(file.resolve().as_uri())
    page.wait_for_function("document.readyState === 'complete'")
    page.evaluate("new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    seconds = time.perf_counter() - start
    page.evaluate(_SCROLLED)
    result = page.evaluate(_COUNTED)
    pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))
    context.close()
    screens = result.pop("height") / SCREEN
    return {
        **result,
        "screens": round(screens, 1),
        "pages": pages,
        "seconds": round(seconds, 2),
        "bytes": file.stat().st_size,
    }


if __name__ == "__main__":
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium")
        for name in sys.argv[1:]:
            print(name, length(chromium, Path(name)))
        chromium.close()
