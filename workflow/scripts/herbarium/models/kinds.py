"""The kinds of models, by what they predict."""

from collections.abc import Iterable
from enum import StrEnum


class Kind(StrEnum):
    """What a model predicts, which determines the quantities that it can give.

    An extractive model answers questions with words of a text: it predicts the tokens at which an answer begins and
    ends.
    """

    masked = "masked"
    causal = "causal"
    seq2seq = "seq2seq"
    extractive = "extractive"

    @property
    def in_words(self) -> str:
        """A model of this kind, with its article."""
        return "an extractive question-answering model" if self is Kind.extractive else f"a {self} language model"


LANGUAGE_MODELS = frozenset({Kind.masked, Kind.causal, Kind.seq2seq})
# Those that the workflow trains itself.
PLANTED = frozenset({Kind.masked, Kind.causal})


def a_model(kinds: Iterable[Kind]) -> str:
    """A model of one of some kinds, in words."""
    either = " or ".join(sorted(kinds))
    return f"{'an' if either.startswith('e') else 'a'} {either} model"
