"""What readers ask a page first, and what they have read by then: clicks, and words from where the last one led."""

import re

from playwright.sync_api import Page

WORDS = 200
_READ = """(node) => {
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  walker.currentNode = node;
  const texts = [];
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const of = text.parentElement;
    if (of.checkVisibility() && !of.closest("script, .panels")) texts.push(text.textContent);
  }
  return texts.join(" ");
}"""


def read(page: Page, *links: str) -> str:
    """The first `WORDS` words in sight after a click on each link, by its selector."""
    for link in links:
        page.locator(link).first.click()
    target = page.locator(links[-1]).first.get_attribute("href").removeprefix("#").partition("?")[0]
    text = page.locator(f"[id='{target}']").evaluate(_READ)
    return " ".join(re.split(r"\s+", text.strip())[:WORDS])


def which_is_more_biased(page: Page) -> str:
    return read(page, ".questions a[href='#changes']")


def which_words_drive(page: Page, metric: str) -> str:
    return read(page, f"table.screen a[href='#words-{metric}']")


def what_to_write(page: Page) -> str:
    return read(page, ".questions a[href='#methods']")
