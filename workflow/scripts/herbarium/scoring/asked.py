"""Which tokens of a sentence a quantity scores, and which of them the model is given."""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

import numpy as np

from herbarium.core.errors import HerbariumError
from herbarium.scoring import checks
from herbarium.scoring.quantities import (
    ASKED,
    AUL_PADDED,
    CONDITION,
    CPS,
    HIDDEN,
    LL,
    LL_ASKED,
    LL_SHARED,
    LOSS,
    MEAN_LL,
    OF_PAIRS,
    PLL,
    PLL_WORD_L2R,
    PPPL,
    QUESTION,
    RELEASED_BEGINNINGS,
    RELEASED_ENDS,
    ROLES,
    SLOT,
    SLOT_PRIOR,
    SLOT_PRIOR_RELEASED,
    SLOT_RELEASED,
)
from herbarium.scoring.tokenization import Encoded

# Quantities that predict each token from those before it; that mask each token in a separate copy; that mask slots; of
# these, the priors, and those that ask for every token at every mask.
FROM_BEFORE = (LL, LOSS, MEAN_LL, LL_SHARED, LL_ASKED)
MASKS_EACH = (PLL, PPPL, PLL_WORD_L2R, CPS)
MASKS_SLOTS = (SLOT, SLOT_PRIOR, SLOT_RELEASED, SLOT_PRIOR_RELEASED)
PRIORS = (SLOT_PRIOR, SLOT_PRIOR_RELEASED)
ALL_PAIRS = (SLOT_RELEASED, SLOT_PRIOR_RELEASED)
# Quantities of fillers.
OF_SLOTS = (*MASKS_SLOTS, LL_ASKED)


def question_ends(
    texts: list[str], fillers: dict[str, tuple[np.ndarray, np.ndarray]], roles: dict[str, str]
) -> np.ndarray:
    """(n,) the end of the question with which each text begins.

    Raises HerbariumError if no slot is the question, or a text does not begin with it.
    """
    slots = [slot for slot, role in roles.items() if role == QUESTION]
    if len(slots) != 1:
        raise HerbariumError(f"A quantity of spans needs one slot whose role is '{QUESTION}'; the roles are {roles}.")
    start, end = fillers[slots[0]]
    if len(others := np.flatnonzero(start != 0)):
        raise HerbariumError(
            f"A quantity of spans needs texts that begin with their question, the slot '{slots[0]}'; this one does "
            f"not: {texts[others[0]]}"
        )
    return end


def around(
    texts: list[str], encoded: Encoded, first: np.ndarray, last: np.ndarray, words: Mapping[str, Sequence]
) -> tuple[np.ndarray, np.ndarray]:
    """Where an answer may begin, (n_answers, RELEASED_BEGINNINGS), and end, (n_answers, RELEASED_ENDS), with the words
    around it that the released code takes as part of it; its own token is repeated if there are fewer candidates.

    first, last: (n_answers,) the tokens of the answer. words: `before` it phrases in lower case, each a list of
    alternatives for each of its words; `behind` it words. Raises HerbariumError if a phrase is longer than the released
    ones.
    """
    sentence, begins = encoded.sentence, checks.begins_word(encoded, texts)

    def says(distance: int, word_ids: np.ndarray, words: Sequence[str], lower: bool = False) -> np.ndarray:
        """Whether the token at a distance from each token is one of some words, and not the end of a longer word."""
        token = np.clip(word_ids + distance, 0, len(sentence) - 1)
        at = zip(sentence[token].tolist(), *encoded.spans[token].T.tolist(), strict=True)
        strings = [texts[row][start:end].strip() for row, start, end in at]
        is_one = np.array([(word.lower() if lower else word) in words for word in strings], dtype=bool)
        is_whole = begins[token] | np.array([word == "." for word in strings], dtype=bool)
        return is_one & is_whole & (token == word_ids + distance) & (sentence[token] == sentence[word_ids])

    before = np.arange(RELEASED_BEGINNINGS) - RELEASED_BEGINNINGS + 1  # -3, -2, -1 and 0, the answer's own
    may_begin = np.zeros((len(first), len(before)), dtype=bool)
    for phrase in words["before"]:
        if len(phrase) >= RELEASED_BEGINNINGS:
            raise HerbariumError(
                f"around: {len(phrase)} words before an answer; there can be {RELEASED_BEGINNINGS - 1}."
            )
        distances = before[-len(phrase) - 1 : -1]
        is_said = [
            says(distance, first, tokens, lower=True) for distance, tokens in zip(distances, phrase, strict=True)
        ]
        may_begin[:, -len(phrase) - 1 : -1] |= np.logical_and.reduce(is_said)[:, None]
    behind = np.arange(RELEASED_ENDS)
    may_end = np.stack([np.ones(len(last), dtype=bool), says(1, last, words["behind"])], axis=1)
    return first[:, None] + before * may_begin, last[:, None] + behind * may_end


def asked_and_shown(
    encoded: Encoded, quantity: str, of_role: dict[str, np.ndarray] | None, mask_id: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Which tokens a quantity asks for, (n_tokens,) of bool, and the token ids that the model sees."""
    asked, shown = ~encoded.is_special, encoded.token_ids
    if quantity == AUL_PADDED:  # all but the first and the last
        asked = np.ones(len(shown), dtype=bool)
        asked[encoded.starts[:-1]] = asked[encoded.starts[1:] - 1] = False
    if quantity in OF_PAIRS:
        asked &= _shared(encoded, quantity)
    if quantity in OF_SLOTS:
        asked = of_role[ASKED].copy()
    if quantity in MASKS_SLOTS:
        masked = of_role[ASKED] | of_role[HIDDEN] | (of_role[CONDITION] & (quantity in PRIORS))
        shown = np.where(masked, np.int32(mask_id), shown)
    return asked, shown


def masked_copies(token_ids: np.ndarray, position: np.ndarray, words: np.ndarray | None, mask_id: int) -> np.ndarray:
    """Copies of sentences (n, length), each with the token at its position masked.

    words: (n, length), the word of each token; if given, the later tokens of the masked one's word are masked too.
    """
    columns = np.arange(token_ids.shape[1])
    masked = columns == position[:, None]
    if words is not None:
        masked |= (words == words[np.arange(len(position)), position, None]) & (columns > position[:, None])
    return np.where(masked, np.int32(mask_id), token_ids)


def all_pairs(row: np.ndarray, masked: np.ndarray, passed_over: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The positions at which the released code of Categorical Bias asks for tokens, and the token at each.

    It multiplies the probabilities of every token at the same number of positions, which it counts from the first mask
    of the sentence; in a prior, if the condition precedes, it skips one mask, however many the condition has.
    row: (n_tokens,) the sentence of each token asked for, ascending. masked: (n_sentences, length). passed_over:
    (n_sentences,) of bool.
    """
    positions = np.argsort(~masked, axis=1, kind="stable")  # of the masks, in order, then of all other tokens
    start = positions[np.arange(len(masked)), passed_over.astype(int)]
    n = np.bincount(row, minlength=len(masked))[row]  # tokens asked for in the token's sentence
    token = np.repeat(np.arange(len(row)), n)
    number = np.arange(len(token)) - (np.cumsum(n) - n)[token]
    return start[row[token]] + number, token


def condition_precedes(of_role: dict[str, np.ndarray], at: np.ndarray) -> np.ndarray:
    """(n_sentences,) of bool: whether the condition's first token comes before the first that is asked for.

    at: (n_sentences, length) the tokens of the sentences.
    """
    condition, asked = of_role[CONDITION][at], of_role[ASKED][at]
    return condition.any(axis=1) & (condition.argmax(axis=1) < asked.argmax(axis=1))


def tokens_by_role(
    encoded: Encoded, fillers: dict[str, tuple[np.ndarray, np.ndarray]], roles: dict[str, str]
) -> dict[str, np.ndarray]:
    """(n_tokens,) of bool for each role: the tokens of the slots that have it."""
    if ASKED not in roles.values():
        raise HerbariumError(
            f"A quantity of slots or of spans needs a slot whose role is '{ASKED}'; the roles are {roles}."
        )
    masks = {role: np.zeros(len(encoded.token_ids), dtype=bool) for role in (*ROLES, QUESTION)}
    for slot, role in roles.items():
        masks[role] |= encoded.tokens_of(*fillers[slot])
    return masks


def _shared(encoded: Encoded, quantity: str) -> np.ndarray:
    """(n_tokens,) of bool: tokens that are in both sentences of a pair, sentence 2i and sentence 2i + 1.

    They are found by longest common blocks of token ids, as in the released code of CrowS-Pairs.
    """
    if len(encoded.starts) % 2 == 0:
        raise HerbariumError(
            f"The quantity '{quantity}' needs pairs; {len(encoded.starts) - 1} sentences are not pairs."
        )
    shared = np.zeros(len(encoded.token_ids), dtype=bool)
    ids, starts = encoded.token_ids.tolist(), encoded.starts.tolist()
    for one, other, end in zip(starts[:-2:2], starts[1:-1:2], starts[2::2], strict=True):
        matcher = SequenceMatcher(None, ids[one:other], ids[other:end], autojunk=False)
        for block in matcher.get_matching_blocks():
            shared[one + block.a : one + block.a + block.size] = True
            shared[other + block.b : other + block.b + block.size] = True
    return shared
