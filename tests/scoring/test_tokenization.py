"""Composed sentences against the tokenizer's own, token by token."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import tokenizer_of

from herbarium.core import resources
from herbarium.models import loading
from herbarium.scoring import tokenization

# One family a type of tokenizer.
TYPES = ["bert", "roberta", "gpt2", "albert"]
NAMES = ["Peru", "New Zealand", "Xi’an", "Lima", "St. Kitts", "N'Djamena", "Côte d’Ivoire", "Washington, D.C.", "弱"]
WORDS = ["weak", "hard-working", "wise", "shy", "loud", "x.y", "a b", "İ", "Wise?"]
FRAMES = [
    *("People in [a] are [b].", "[a] [b]", "[b]s of [a]er!", "  [a]  ,  [b]", "[a] is from [b] , [c]", "[a][b]"),
    "in[a]and [b]",
]


@pytest.fixture
def tokenizer(model_folder, request):
    return loading.load_tokenizer(model_folder(request.param), "m")


def instances(frame, *fillers):
    """Every combination of fillers in a frame: texts, and where each slot's filler is."""
    slots = [slot for slot in "abc" if f"[{slot}]" in frame]
    made = [
        resources.fill(frame, **dict(zip(slots, chosen, strict=True))) for chosen in product(*fillers[: len(slots)])
    ]
    return [text for text, _ in made], {slot: tuple(np.array([span[slot] for _, span in made]).T) for slot in slots}


def assert_same(one, other):
    for name in ("starts", "token_ids", "is_special", "spans", "begins_word"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.fixture
def tokenized(monkeypatch):
    """How many sentences the tokenizer saw, call by call; none of them as a sample of the composed ones."""
    seen, whole = [], tokenization._whole

    def counted(tokenizer, texts, *special):
        seen.append(len(texts))
        return whole(tokenizer, texts, *special)

    monkeypatch.setattr(tokenization, "_SAMPLE", 0)
    monkeypatch.setattr(tokenization, "_whole", counted)
    return seen


@pytest.mark.parametrize("tokenizer", TYPES, indirect=True)
@pytest.mark.parametrize("frame", FRAMES)
def test_composed_is_what_the_tokenizer_gives(tokenizer, tokenized, frame):
    texts, fillers = instances(frame, NAMES, WORDS, ["Fiji", "weak", "."])
    composed = tokenization.encode(tokenizer, texts, fillers)
    n_seen = sum(tokenized)
    assert_same(composed, tokenization.encode(tokenizer, texts))
    if frame == "[a][b]":  # one word: nothing can be composed
        assert n_seen == len(texts)
    else:  # each filler is seen once
        assert n_seen <= len(NAMES) + len(WORDS) + 3


TEXT = st.text(st.sampled_from("aePZ w-.,’é弱"), max_size=6)


@pytest.mark.parametrize("family", TYPES)
@given(
    around=st.tuples(TEXT, TEXT, TEXT),
    names=st.lists(TEXT, min_size=1, max_size=6),
    words=st.lists(TEXT, min_size=1, max_size=6),
    order=st.randoms(use_true_random=False),
)
@settings(max_examples=300)
@pytest.mark.slow
def test_any_template_and_fillers(model_folder, family, around, names, words, order):
    tokenizer = tokenizer_of(model_folder(family))
    frame = "{}[a]{}[b]{}".format(*around)
    several = [instances(frame, names, words), instances("[a]", names), instances("[b] ist [a]", words, names)]
    rows = [
        (text, {slot: (bounds[slot][0][i], bounds[slot][1][i]) if slot in bounds else (-1, -1) for slot in "ab"})
        for texts, bounds in several
        for i, text in enumerate(texts)
    ]
    order.shuffle(rows)
    texts = [text for text, _ in rows]
    fillers = {slot: tuple(np.array([bounds[slot] for _, bounds in rows]).T) for slot in "ab"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokenization, "_SAMPLE", 0)
        assert_same(tokenization.encode(tokenizer, texts, fillers), tokenization.encode(tokenizer, texts))


@pytest.mark.parametrize("tokenizer", ["bert"], indirect=True)
def test_a_tokenizer_that_looks_across_words_is_found_out(tokenizer, tokenized):
    from tokenizers import Regex, normalizers

    # one filler changes what is made of another's word
    tokenizer.backend_tokenizer.normalizer = normalizers.Replace(Regex("(?<=Lima are )weak"), "wise")
    texts, fillers = instances("People in [a] are [b].", NAMES, ["weak", *WORDS[1:]])
    composed = tokenization.encode(tokenizer, texts, fillers)
    assert_same(composed, tokenization.encode(tokenizer, texts))
    assert tokenized[0] < tokenized[0] + tokenized[1] == len(texts)
