"""The parts of speech of her and his in an English text, by rule: there is no tagger among the dependencies.

her is possessive in "her book" and an object in "saw her"; his is a determiner in "his book" and a pronoun in "is his".
The rule looks for a noun phrase after the word: a possessive has one, the others have none. docs/swaps.md says how
often it is right.
"""

import re


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# Words that do not begin a noun phrase after a possessive; none is a noun or an adjective that is common there.
_NO_PHRASE = _words(
    """
    i me you he him she her it we us they them mine yours his hers ours theirs
    myself yourself himself herself itself ourselves yourselves themselves
    this that these those who whom whose which what whoever whatever
    someone somebody something anyone anybody anything everyone everybody everything nothing nobody none
    a an the my your our their its some any no each either neither both all another enough such
    about above across after against along among around as at before behind below beneath beside besides between beyond
    but by despite during except for from in inside into like of off on onto out outside over per since than through
    throughout till to toward towards under underneath until unto up upon via with within without
    and or nor so yet if because although though unless whereas while when whenever where wherever why how whether
    am is are was were be been being do does did have has had would can could may might must shall should cannot
    go get come become seem die know believe understand
    not never ever again also always already anyway away even here there instead just later maybe now often once perhaps
    quite rather really soon still then today together tomorrow tonight too twice well yesterday sometimes anymore
    apart aside somewhere anywhere everywhere nowhere alone alive asleep awake
    """
)
# Words that can follow an object or be in a noun phrase: him back, his back.
_EITHER = _words("back home right will very more less much one every several")
# Verbs whose object is often followed directly by more: make her laugh, give her money.
_TAKES_MORE = _words(
    """
    see sees saw seen seeing watch watches watched watching hear hears heard hearing feel feels felt feeling
    make makes made making let lets letting help helps helped helping have having get gets got getting
    give gives gave given giving send sends sent sending show shows showed shown showing teach teaches taught teaching
    tell tells told telling offer offers offered offering bring brings brought bringing buy buys bought buying
    pay pays paid paying wish wishes wished wishing ask asks asked asking call calls called calling
    keep keeps kept keeping leave leaves left leaving find finds found finding
    """
)
# Words in -ly that are not adverbs: before a word of _NO_PHRASE they are a phrase of their own.
_NO_ADVERB = _words(
    """
    ally anomaly assembly belly bully butterfly family folly fly jelly lily monopoly reply supply
    costly curly daily deadly early elderly friendly ghostly holy homely hourly lively lonely lovely monthly only
    orderly silly ugly weekly yearly
    """
)
# The next word, with what may open a quotation before it; any other punctuation ends the phrase.
_NEXT = re.compile(r"\s*(?:(?<=\s)[\"“‘'*_]+)?([^\W_]+(?:['’\-‐‑][^\W_]+)*)")
_BEFORE = re.compile(r"([^\W_]+)\s+\Z")
# "his or her book", "his/her book": what follows the second also follows the first.
_TWIN = re.compile(r"\s*(?:/|\bor\b)\s*(his|her)\b", re.IGNORECASE)
_LONGEST = 40  # characters in which the preceding word, with the space after it, is looked for


def has_noun_phrase(text: str, at: int) -> tuple[bool, bool]:
    """Whether a noun phrase, or the rest of one, begins after a position in a text; and whether that is certain."""
    while match := _NEXT.match(text, at):
        word = match[1].lower().replace("’", "'")
        stem = word.partition("'")[0]  # in it's, you'd, family's
        if re.search("[-‐‑]", word):  # well-known
            return True, True
        if stem in _NO_PHRASE or word.endswith("n't"):
            return False, True
        if stem in _EITHER or stem.isdecimal():
            return True, False
        if not stem.endswith("ly") or stem in _NO_ADVERB:
            return True, True
        at = match.end()  # an adverb: what follows it decides
    return False, True


def is_determiner(text: str, start: int, end: int) -> tuple[bool, bool]:
    """Whether the her or his in text[start:end] belongs to a noun; and whether that is certain."""
    twin = _TWIN.match(text, end)
    is_pair = twin is not None and twin[1].lower() != text[start:end].lower()
    is_followed, is_sure = has_noun_phrase(text, twin.end() if is_pair else end)
    return is_followed, is_sure and not (is_followed and word_before(text, start) in _TAKES_MORE)


def word_before(text: str, start: int) -> str:
    """The word before a position in a text, in lower case; empty if there is punctuation in between, or no word."""
    match = _BEFORE.search(text, max(0, start - _LONGEST), start)
    return match[1].lower() if match else ""
