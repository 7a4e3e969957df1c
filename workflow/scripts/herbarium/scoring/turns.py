"""Sentences as turns of a conversation: what stands before the words that are asked for is the user's question."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from herbarium.scoring.quantities import ASKED

Fillers = dict[str, tuple[np.ndarray, np.ndarray]]

NO_QUESTION = "refused: no question stands before words that are asked for"


class Turns(NamedTuple):
    """questions: (n,) of the sentences, None where nothing is asked. answers: (n,) what is scored. fillers: slot ->
    (start, end), each (n,), its characters in the answers, -1 if they do not have it."""

    questions: list[str | None]
    answers: list[str]
    fillers: Fillers


def without_questions(texts: list[str], fillers: Fillers) -> Turns:
    """Every sentence is an answer to the same message, or to none."""
    return Turns([None] * len(texts), texts, fillers)


def with_questions(texts: list[str], fillers: Fillers, roles: Mapping[str, str]) -> Turns:
    """Every sentence is a question, which ends where its first slot that is asked for begins, and an answer. A sentence
    without such a slot, or that begins with it, is an answer to an empty question."""
    none = np.iinfo(np.int32).max
    border = np.full(len(texts), none)
    for slot, role in roles.items():
        start = fillers[slot][0] if role == ASKED else np.full(len(texts), -1)
        border = np.where(start < 0, border, np.minimum(border, start))
    border[border == none] = 0
    moved = {}
    for slot, (start, end) in fillers.items():
        is_in_answer = start >= border
        moved[slot] = tuple(np.where(is_in_answer, bound - border, -1) for bound in (start, end))
    places = list(zip(texts, border.tolist(), strict=True))
    return Turns([text[:end].strip() for text, end in places], [text[end:] for text, end in places], moved)
