"""Texts with the names of countries exchanged: the augmentation of Ahn and Oh (2021, Section 5), "Mitigating
Language-Dependent Ethnic Bias in BERT", EMNLP, who "replace the ethnicity terms in the training data [...] so that we
balance the number of ethnicity terms".

The paper says no more than that. Here, each text that mentions countries gets one copy, in which every country is
replaced by another; this balances the number of texts that mention each country (`assigned`).
"""

import re
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from herbarium.core import resources
from herbarium.core.errors import HerbariumError
from herbarium.core.random import stream
from herbarium.training import english, swapping

# Forms with a meaning here; a list may have any others (name, plural, genitive).
ADJECTIVE, SINGULAR, OTHER = "adjective", "singular", "other"
_ARTICLES = ("a", "an")
_BEFORE_ONE = (*_ARTICLES, "another", "each", "every", "one")
_ARTICLE = re.compile(r"\b(an?)(\s+)\Z", re.IGNORECASE)
_FURTHEST = 8  # characters before a term in which its article is looked for


class Mention(NamedTuple):
    """A term in a text. form: its form there."""

    start: int
    end: int
    region: str
    form: str
    is_sure: bool


@dataclass(frozen=True)
class Terms:
    """The terms for the countries of a list in one language. path: its file, for messages.

    written: region -> form -> the term that is inserted. forms: term -> its region and its possible forms; a longer
    name that is left unchanged has the region "". articles: term -> a or an; empty if the language has none.
    """

    path: str
    written: Mapping[str, Mapping[str, str]]
    forms: Mapping[str, tuple[str, tuple[str, ...]]]
    articles: Mapping[str, str]

    @property
    def regions(self) -> list[str]:
        return list(self.written)

    @cached_property
    def _spelled(self) -> dict[str, str]:
        """Each term by its spellings in a text: as in the list, or in capitals."""
        return {term.upper(): term for term in self.forms} | {term: term for term in self.forms}

    @cached_property
    def _term(self) -> re.Pattern:
        longest_first = sorted(self._spelled, key=lambda term: (-len(term), term))
        return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))}){swapping.END}")

    def mentions(self, text: str) -> list[Mention]:
        """The terms of the list in a text, in order; of overlapping ones, the longest."""
        matches = []
        for match in self._term.finditer(text):
            region, forms = self.forms[self._spelled[match[0]]]
            if region:
                form, is_sure = _form(text, *match.span(), forms)
                matches.append(Mention(*match.span(), region, form, is_sure))
        return matches

    def has_term(self, text: str) -> bool:
        """Whether a term of the list is in a text."""
        return bool(self.mentions(text))

    def replaced(self, text: str, mentions: Sequence[Mention], target: Mapping[str, str]) -> str:
        """The text with each mention of a region replaced by the same form of its target, with the matching article.

        target: region -> region.
        """
        pieces, position = [], 0
        for start, end, region, form, _ in mentions:
            term, before = text[start:end], text[position:start]
            new = self.written[target[region]][form]
            is_capital = term.isupper()
            if new in self.articles:
                before = _with_article(before, self.articles[new], is_capital)
            pieces += [before, new.upper() if is_capital else new]
            position = end
        return "".join([*pieces, text[position:]])


def _form(text: str, start: int, end: int, forms: tuple[str, ...]) -> tuple[str, bool]:
    """The form of a term in text[start:end], and whether it is certain. forms: the possible ones.

    An adjective is followed by a noun; a verb there is taken for one (An American met us). Otherwise it may be a noun
    itself (an American, the French), the name of a language or a predicate: after a word such as "a" it is taken for a
    noun, if it may be one; otherwise for an adjective.
    """
    if ADJECTIVE not in forms:
        return forms[0], True
    if english.has_noun_phrase(text, end) == (True, True):
        return ADJECTIVE, True
    if SINGULAR in forms and english.word_before(text, start) in _BEFORE_ONE:
        return SINGULAR, True
    return ADJECTIVE, False


def _with_article(before: str, article: str, is_capital: bool) -> str:
    """The text before a term, with a matching a or an at its end. is_capital: the term is in capitals."""
    match = _ARTICLE.search(before, max(0, len(before) - _FURTHEST))
    if match is None:
        return before
    fitted = article.upper() if is_capital else article.capitalize() if match[1][0].isupper() else article
    return f"{before[: match.start()]}{fitted}{match[2]}"


def texts_per_country(texts: Sequence[str], terms: Terms) -> pd.Series:
    """The number of texts that mention each country at least once, indexed by region in the order of the list."""
    counts = pd.Series(0, index=terms.regions)
    for text in texts:
        for region in {mention.region for mention in terms.mentions(text)}:
            counts[region] += 1
    return counts


def corpus(texts: Sequence[str], terms: Terms, seed: int, two_sided: bool) -> pd.DataFrame:
    """The texts with every country exchanged for another, as a `swapping.table`.

    Within a text, a country becomes the same one wherever it is mentioned, and two become two. two_sided: both the
    original and its copy; otherwise only the copy (one-sided, as in the paper). A text without a term is kept once, as
    the original. The numbers of texts that mention each country are as even as possible (`assigned`).

    `n_ambiguous` counts terms whose form is uncertain, and those that became part of a longer name in the list (South
    France, for example, becomes South America), which are lost to the balance.

    Raises HerbariumError when no text has a term.
    """
    rng = stream(seed, "country_swapping")
    mentions = [terms.mentions(text) for text in texts]
    numbers = {region: number for number, region in enumerate(terms.regions)}
    mentioned = [sorted({numbers[mention.region] for mention in text_mentions}) for text_mentions in mentions]
    counts = np.bincount(
        [number for mentioned_numbers in mentioned for number in mentioned_numbers], minlength=len(numbers)
    )
    targets = assigned(mentioned, counts if two_sided else np.zeros_like(counts), rng)
    others = []
    for text, text_mentions, of_text in zip(texts, mentions, targets, strict=True):
        target = {terms.regions[a]: terms.regions[b] for a, b in of_text.items()}
        other = terms.replaced(text, text_mentions, target)
        wanted = Counter(target[mention.region] for mention in text_mentions)
        lost = wanted - Counter(mention.region for mention in terms.mentions(other))
        n_ambiguous = min(sum(not mention.is_sure for mention in text_mentions) + lost.total(), len(text_mentions))
        others.append(swapping.Swapped(other, len(text_mentions), n_ambiguous))
    return swapping.table(texts, others, two_sided, terms.path)


# --- which country becomes which ---


def assigned(mentioned: Sequence[Sequence[int]], counts: np.ndarray, rng: np.random.Generator) -> list[dict[int, int]]:
    """For each text, its countries, each with its replacement: another country, and a different one for each.

    mentioned: the distinct countries of each text, numbers from 0 to n_countries - 1. counts: (n_countries,) texts that
    already mention each country, at least 2 countries.

    This balances the number of texts that mention each country, those in `counts` and the copies. The sum of their
    squares is minimal. So no two countries differ by more than 1, unless the texts themselves prevent it: a text only
    on America cannot become one on America. How often a text mentions a country does not count. Ties are broken at
    random.
    """
    counts = counts.copy()
    chosen: list[set[int]] = [set() for _ in mentioned]
    for text in rng.permutation(len(mentioned)):
        countries = mentioned[text]
        order = rng.permutation(len(counts))
        order = order[np.argsort(counts[order], kind="stable")]
        allowed = [country for country in order.tolist() if [country] != list(countries)]
        chosen[text] = set(allowed[: len(countries)])
        counts[list(chosen[text])] += 1
    _even_out(mentioned, chosen, counts)
    return [_matched(list(countries), sorted(others), rng) for countries, others in zip(mentioned, chosen, strict=True)]


def _even_out(mentioned: Sequence[Sequence[int]], chosen: list[set[int]], counts: np.ndarray) -> None:
    """Change the chosen countries, in place, until the counts are as even as possible.

    In a chain of texts, the first gives up a country for one that the second gives up, and so on: this moves one text
    from the first country to the last. If no such chain leads from a country to one with at least two texts fewer, the
    sum of squares is minimal: it is the convex cost of a flow from texts to countries.
    """
    while counts.max() - counts.min() > 1:
        giver: dict[tuple[int, int], int] = {}  # (country given up, country taken) -> a text that can do this
        for text, others in enumerate(chosen):
            barred = set(mentioned[text]) if len(mentioned[text]) == 1 else set()
            for given in others:
                for country in set(range(len(counts))) - others - barred:
                    giver.setdefault((given, country), text)
        chain = _chain(giver, counts)
        if not chain:
            return
        for given, country in pairwise(chain):
            text = giver[given, country]
            chosen[text] = chosen[text] - {given} | {country}
        counts[chain[0]] -= 1
        counts[chain[-1]] += 1


def _chain(giver: Mapping[tuple[int, int], int], counts: np.ndarray) -> list[int]:
    """The shortest chain from a country to one with two texts fewer; empty if there is none."""
    for first in np.argsort(-counts, kind="stable").tolist():
        before, waiting = {first: first}, deque([first])
        while waiting:
            country = waiting.popleft()
            if counts[first] - counts[country] >= 2:
                chain = [country]
                while chain[-1] != first:
                    chain.append(before[chain[-1]])
                return chain[::-1]
            for given, receiver in giver:
                if given == country and receiver not in before:
                    before[receiver] = country
                    waiting.append(receiver)
    return []


def _matched(countries: list[int], others: list[int], rng: np.random.Generator) -> dict[int, int]:
    """A random one-to-one map of a text's countries to the chosen ones, none to itself."""
    while True:  # about one in three draws maps none to itself
        drawn = dict(zip(countries, rng.permutation(others).tolist(), strict=True))
        if all(country != other for country, other in drawn.items()):
            return drawn


# --- lists ---


def read_terms(path: str | Path) -> Terms:
    """The terms for countries: columns `region`, `term`, `form`; `a` (a or an, before the term) in English.

    If a region has several terms in one form, the first is inserted. A row with the form "other", without a region, is
    a longer name that is left unchanged (New Mexico). Raises HerbariumError, with the rows, for an empty cell, a term
    of two regions or twice in one form, a region that lacks a form that another has, and fewer than two regions.
    """
    table = resources.read_text_table(path, ["region", "term", "form"])
    resources.check_cells(path, table, ["term", "form"])
    resources.check_cells(path, table[table["form"] != OTHER], ["region"])
    resources.check_spelling(path, table["term"])
    written: dict[str, dict[str, str]] = {}
    forms: dict[str, tuple[str, tuple[str, ...]]] = {}
    articles: dict[str, str] = {}
    first_row: dict[str, int] = {}
    for row, (region, term, form) in enumerate(table[["region", "term", "form"]].itertuples(index=False), start=1):
        known_region, known_forms = forms.get(term, (region, ()))
        first = first_row.setdefault(term, row)
        if known_region != region:
            raise HerbariumError(
                f"{path}, row {row}: '{term}' is also in row {first}, for '{known_region}'; a term has one region."
            )
        if form in known_forms:
            raise HerbariumError(f"{path}, row {row}: '{term}' is listed twice as {form}, first in row {first}.")
        forms[term] = (region, (*known_forms, form))
        if form == OTHER:
            if region:
                raise HerbariumError(
                    f"{path}, row {row}: '{term}' is left unchanged and has no region; leave it empty."
                )
            continue
        written.setdefault(region, {}).setdefault(form, term)
        if "a" in table:
            article = table["a"][row - 1]
            if article not in _ARTICLES:
                raise HerbariumError(
                    f"{path}, row {row}: the article of '{term}' is '{article}'; it should be a or an."
                )
            articles[term] = article
    if len(written) < 2:
        raise HerbariumError(f"{path}: it has only one region; a country can only become another one if there are two.")
    for region, of_region in written.items():
        for other, of_other in written.items():
            lacking = of_other.keys() - of_region.keys()
            if lacking:
                raise HerbariumError(
                    f"{path}: '{region}' has no term of the form {min(lacking)}, but '{other}' has; add one, as each "
                    "can replace the other."
                )
    return Terms(str(path), written, forms, articles)
