"""Terms as tooltips: once a block, where a reader reads, and only there."""

import re

from herbarium.page.glossary import terms, with_tooltips

POWER = next(term for term in terms() if term.term == "power")


def linked(*pages):
    return [re.findall(r'<a class="term" href="#([^"]+)"', page) for page in with_tooltips(*pages)]


def test_the_first_use_is_linked_with_its_meaning():
    (page,) = with_tooltips("<p>Power, and power again; a powerful test.</p>")
    link = f'<a class="term" href="#term-power" title="{POWER.meaning}">Power</a>'
    assert page == f"<p>{link}, and power again; a powerful test.</p>"
    assert linked("<p>Power.</p>", "<li>power</li>") == [["term-power"], []]


def test_only_running_text_is_linked():
    for page in (
        *("<h2>Power</h2>", "<td>power</td>", '<p><a href="#x">power</a></p>', "<p><code>power</code></p>"),
        *('<p title="power">none</p>', "<script>power</script>", "<p>everyday words: item, set, target</p>"),
    ):
        assert with_tooltips(page) == [page]


def test_plurals_longer_terms_and_signs_are_known():
    assert linked("<p>null values</p>") == [["term-null-value"]]
    assert linked("<figcaption>an equivalence test of <em>f(S)</em></figcaption>") == [
        ["term-equivalence-test", "term-f-s"]
    ]


def test_every_term_has_an_address_of_its_own():
    assert len({term.id for term in terms()}) == len(terms())
