"""The table of characters by which SentencePiece normalises texts, as tokenizers of `transformers` take it."""

from collections.abc import Iterable
from io import BytesIO


def learned(texts: Iterable[str], vocab_size: int) -> bytes:
    """A small model of SentencePiece, a message of protocol buffers."""
    import sentencepiece

    written = BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts), model_writer=written, vocab_size=vocab_size, minloglevel=2
    )
    return written.getvalue()


def table(model: bytes) -> bytes:
    return _field(_field(model, 3), 2)


def _field(message, wanted):
    """The first field of bytes with a number in a message of protocol buffers."""

    def number(at):
        value = shift = 0
        while True:
            value |= (message[at] & 127) << shift
            at, shift = at + 1, shift + 7
            if message[at - 1] < 128:
                return value, at

    at = 0
    while True:
        key, at = number(at)
        size, start = {0: (0, number(at)[1]), 1: (8, at), 2: number(at), 5: (4, at)}[key & 7]
        if key == wanted << 3 | 2:
            return message[start : start + size]
        at = start + size
