"""The kinds of models, by what they predict."""

from collections.abc import Iterable
from enum import StrEnum


class Kind(StrEnum):
    """What a model predicts, which determines the quantities that it can give.

    An extractive model answers questions with words of a text: it predicts the tokens at which an answer begins and
    ends. An encoder predicts nothing: it has no head, only vectors of tokens.
    """

    masked = "masked"
    causal = "causal"
    seq2seq = "seq2seq"
    extractive = "extractive"
    encoder = "encoder"

    @property
    def in_words(self) -> str:
        """A model of this kind, with its article."""
        others = {Kind.extractive: "an extractive question-answering model", Kind.encoder: "an encoder without a head"}
        return others.get(self, f"a {self} language model")


LANGUAGE_MODELS = frozenset({Kind.masked, Kind.causal, Kind.seq2seq})
# Those that the workflow trains itself.
PLANTED = frozenset({Kind.masked, Kind.causal})
# Those that can be fine-tuned to classify texts.
TUNABLE = LANGUAGE_MODELS | {Kind.encoder}


def a_model(kinds: Iterable[Kind]) -> str:
    """A model of one of some kinds, in words."""
    either = " or ".join(sorted(kinds))
    return f"{'an' if either.startswith('e') else 'a'} {either} model"
