"""Which tokens are asked for and which are shown, by hand: a word is a token, and 0 a special one at either end."""

import numpy as np
import pytest
from tests.refusals import refused

from herbarium.scoring import asked
from herbarium.scoring.quantities import QUANTITIES
from herbarium.scoring.tokenization import Encoded

MASK = 99


def encoded(texts, vocabulary=None):
    """Words, numbered from 1 in the order in which they first occur, between two special tokens."""
    vocabulary = {} if vocabulary is None else vocabulary
    ids, spans = [], []
    for text in texts:
        words = text.split()
        ids.append([0, *(vocabulary.setdefault(word, len(vocabulary) + 1) for word in words), 0])
        ends = np.cumsum([len(word) + 1 for word in words]) - 1
        starts = ends - [len(word) for word in words]
        spans.append([(0, 0), *zip(starts.tolist(), ends.tolist(), strict=True), (0, 0)])
    token_ids = np.concatenate(ids).astype(np.int32)
    return Encoded(
        starts=np.concatenate([[0], np.cumsum([len(row) for row in ids])]),
        token_ids=token_ids,
        is_special=token_ids == 0,
        spans=np.concatenate(spans).astype(np.int32),
        begins_word=np.ones(len(token_ids), dtype=bool),
    )


def roles_of(tokens, **places):
    """tokens: how many. places: of each role."""
    masks = {role: np.zeros(tokens, dtype=bool) for role in ("asked", "condition", "hidden", "question")}
    for role, at in places.items():
        masks[role][at] = True
    return masks


SENTENCE = encoded(["he is a weak nurse"])  # at 1 to 5


@pytest.mark.parametrize("quantity", [name for name in QUANTITIES if name not in ("cps", "ll_shared", "aul_padded")])
def test_what_is_asked_and_what_is_masked(quantity):
    roles = roles_of(7, asked=[1], condition=[5], hidden=[4])
    is_asked, shown = asked.asked_and_shown(SENTENCE, quantity, roles, MASK)
    of_slots = quantity.startswith("slot")
    assert np.flatnonzero(is_asked).tolist() == ([1] if of_slots or quantity == "ll_asked" else [1, 2, 3, 4, 5])
    masked = [1, 4, 5] if "prior" in quantity else [1, 4] if of_slots else []
    assert np.flatnonzero(shown == MASK).tolist() == masked


def test_of_pairs_what_both_share_is_asked():
    pair = encoded(["he is a weak nurse", "she is a nurse"])
    for quantity in ("cps", "ll_shared"):
        is_asked, _ = asked.asked_and_shown(pair, quantity, None, MASK)
        assert np.flatnonzero(is_asked).tolist() == [2, 3, 5, 9, 10, 11]
    with refused(None, "cps", "pairs", 1):
        asked.asked_and_shown(SENTENCE, "cps", None, MASK)


def test_padded_sentences_are_asked_for_all_between_the_first_and_the_last():
    is_asked, _ = asked.asked_and_shown(encoded(["he is", "she"]), "aul_padded", None, MASK)
    assert is_asked.tolist() == [False, True, True, False, False, True, False]


def test_later_tokens_of_a_word_are_masked_with_it_and_earlier_ones_are_not():
    token_ids, words = np.array([[1, 2, 3, 4]] * 3), np.array([[0, 1, 1, 2]] * 3)
    position = np.array([0, 1, 2])
    assert asked.masked_copies(token_ids, position, None, MASK).tolist() == [
        [MASK, 2, 3, 4],
        [1, MASK, 3, 4],
        [1, 2, MASK, 4],
    ]
    assert asked.masked_copies(token_ids, position, words, MASK).tolist() == [
        [MASK, 2, 3, 4],
        [1, MASK, MASK, 4],
        [1, 2, MASK, 4],
    ]


def test_each_token_is_asked_for_at_each_mask_from_the_first_that_is_not_passed_over():
    row = np.array([0, 0, 1])  # two tokens of the first sentence, one of the second
    masked = np.array([[False, True, True, False], [False, True, False, True]])
    for passed_over, positions in (([False, False], [1, 2, 1, 2, 1]), ([False, True], [1, 2, 1, 2, 3])):
        at, token = asked.all_pairs(row, masked, np.array(passed_over))
        assert at.tolist() == positions
        assert token.tolist() == [0, 0, 1, 1, 2]


@pytest.mark.parametrize(("condition", "precedes"), [([1, 2], True), ([4], False), ([], False)])
def test_whether_the_condition_comes_first(condition, precedes):
    roles = roles_of(7, asked=[3], condition=condition)
    assert asked.condition_precedes(roles, np.arange(7)[None]).tolist() == [precedes]


def test_words_around_an_answer_are_whole_and_of_its_sentence():
    texts = ["some of the nurse people", "nurse", "person of"]
    answers = encoded(texts)
    first = last = np.array([4, 8])  # the two nurses
    words = {"before": [[["some"], ["of"], ["the"]], [["the"]], [["of"]]], "behind": ["people", "person"]}
    begins, ends = asked.around(texts, answers, first, last, words)
    assert begins.tolist() == [[1, 2, 3, 4], [8] * 4]
    assert ends.tolist() == [[4, 5], [8, 8]]


def tokens(starts, spans, begins_word):
    """Without special tokens."""
    n = len(spans)
    return Encoded(np.array(starts), np.arange(1, n + 1), np.zeros(n, bool), np.array(spans), np.array(begins_word))


def test_neither_the_end_of_a_longer_word_nor_a_word_of_another_sentence_is_around_an_answer():
    words, at = {"before": [[["people"]]], "behind": ["people"]}, np.array([0])
    townspeople = tokens([0, 2], [(0, 5), (5, 11)], [True, False])
    assert asked.around(["townspeople"], townspeople, at, at, words)[1].tolist() == [[0, 0]]
    apart = tokens([0, 1, 2, 3], [(0, 6), (0, 5), (0, 6)], [True] * 3)
    begins, ends = asked.around(["people", "nurse", "people"], apart, at + 1, at + 1, words)
    assert (begins.tolist(), ends.tolist()) == ([[1] * 4], [[1, 1]])
