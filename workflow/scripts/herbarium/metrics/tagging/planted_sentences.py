"""Planted sentences, whose entities can be recognised only by what comes before them.

"The doctor Blorenda met the club Quelia Oskave." has two names of one or two made-up words. The word before a name
determines whether it is a person, a place or an organisation; the two never have the same type, so that the words of
the sentence, without their order, do not identify the types. Words of names begin as one made-up word and end as
another; they are the same for all types, and those of the test sentences occur in no other. In every sixth sentence one
of the words before a name has no name after it.
"""

from collections.abc import Sequence

import numpy as np

from herbarium.core.random import stream
from herbarium.metrics.tagging.sentences import OUTSIDE, TEST, TRAIN, Sentence

CUES = {
    "LOC": ("town", "river", "valley", "island"),
    "ORG": ("club", "bank", "firm", "party"),
    "PER": ("doctor", "aunt", "painter", "pilot"),
}
VERBS = ("met", "knew", "helped", "left")
LAYOUT = {"train": [TRAIN], "test": [TEST]}
SHARE_OF_TEST = 0.25  # of the sentences, and of the names
_BARE = 6
_BEGINNING = 3  # letters


def pieces(name: str, n: int, names: Sequence[str], seed: int) -> dict[str, list[Sentence]]:
    """The given number of sentences by split. name: of the task. names: made-up words."""
    random = stream(seed, "planted_tags", name)
    shuffled = random.permutation(sorted({one[:_BEGINNING] + other[_BEGINNING:] for one in names for other in names}))
    n_test, n_tested = round(SHARE_OF_TEST * n), round(SHARE_OF_TEST * len(shuffled))
    return {
        TRAIN: [_sentence(shuffled[n_tested:], k % _BARE == 0, random) for k in range(n - n_test)],
        TEST: [_sentence(shuffled[:n_tested], k % _BARE == 0, random) for k in range(n_test)],
    }


def _sentence(names: np.ndarray, has_bare: bool, random: np.random.Generator) -> Sentence:
    tokens, tags = [], []
    bare = random.integers(2) if has_bare else None
    for place, tag in enumerate(random.permutation(list(CUES))[:2]):
        name = [] if place == bare else random.choice(names, random.integers(1, 3), replace=False).tolist()
        tokens += ["the" if tokens else "The", str(random.choice(CUES[tag])), *name]
        tags += [OUTSIDE, OUTSIDE, *(f"{'I' if k else 'B'}-{tag}" for k in range(len(name)))]
        if not place:
            tokens.append(str(random.choice(VERBS)))
            tags.append(OUTSIDE)
    return Sentence([*tokens, "."], [*tags, OUTSIDE])
