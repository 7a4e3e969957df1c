"""Tiny untrained language models: random weights, and a tokenizer of their family's type.

A tokenizer learns its pieces from a few texts. The transformers class for its family determines how a text is cleaned
and split into words, and equal texts give equal files.
"""

import json
import math
from collections import Counter
from typing import TYPE_CHECKING

from herbarium.core.random import stream

if TYPE_CHECKING:
    from tokenizers import Tokenizer, models, trainers
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

WEIGHTS = 0.3  # standard deviation: with the usual initial weights, of 0.02, every token would be about equally likely
REPEATED = 2  # least number of occurrences of a piece in the texts
# Special tokens in the order of their numbers, if a class of transformers has another order by default.
_OF_ROBERTA = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
_OF_LLAMA = ["<|begin_of_text|>", "<|end_of_text|>"]
# How Llama 3 splits a text into words: its tokenizer.json.
_WORDS_OF_LLAMA = "|".join(
    [
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
        r"[^\r\n\p{L}\p{N}]?\p{L}+",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)


def model(architecture: str, sizes: dict, n_tokens: int, seed: int, *name: object) -> "PreTrainedModel":
    """A model with random weights. architecture: its class in transformers. sizes: settings of its configuration.

    n_tokens: of its tokenizer. name: of the random step that draws the weights (`core.random`).
    """
    import torch
    import transformers

    transformers.utils.logging.disable_progress_bar()
    model_class = getattr(transformers, architecture)
    made = model_class(model_class.config_class(vocab_size=n_tokens, **sizes))
    random = torch.Generator().manual_seed(int(stream(seed, *name).integers(2**63)))
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=WEIGHTS, generator=random)
    return made.eval()


# --- tokenizers: texts to learn from, whose ends are ends of words; largest size of the vocabulary; longest input in
# tokens ---


def word_piece(texts: list[str], size: int, longest: int, lowercase: bool) -> "PreTrainedTokenizerFast":
    """As in BERT. lowercase: also without accents, as in its uncased models."""
    from tokenizers import models, trainers
    from transformers import BertTokenizerFast

    cut = BertTokenizerFast(do_lower_case=lowercase).backend_tokenizer
    words = (
        word
        for text in set(texts)
        for word, _ in cut.pre_tokenizer.pre_tokenize_str(cut.normalizer.normalize_str(text))
    )
    # numbered beforehand: the trainer numbers them as it finds them, in another order each time
    inner = sorted({f"##{letter}" for word in words for letter in word[1:]})
    special = _in_order(cut)
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, min_frequency=REPEATED, special_tokens=[*special, *inner], show_progress=False
    )
    learned = _learned(models.WordPiece(), trainer, cut, texts)
    return BertTokenizerFast(vocab=learned.get_vocab(), do_lower_case=lowercase, model_max_length=longest)


def byte_level(texts: list[str], size: int, longest: int) -> "PreTrainedTokenizerFast":
    """As in RoBERTa and BART."""
    from tokenizers import models
    from transformers import RobertaTokenizerFast

    cut = RobertaTokenizerFast().backend_tokenizer
    learned = _learned(models.BPE(), _of_bytes(size, _OF_ROBERTA), cut, texts)
    return RobertaTokenizerFast(vocab=learned.get_vocab(), merges=_merges(learned), model_max_length=longest)


def byte_level_of_llama(texts: list[str], size: int, longest: int) -> "PreTrainedTokenizerFast":
    """As in Llama 3: only a token for its beginning is added to a text, and there is no padding token."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    cut = Tokenizer(models.BPE())
    words = pre_tokenizers.Split(Regex(_WORDS_OF_LLAMA), "isolated")
    cut.pre_tokenizer = pre_tokenizers.Sequence(
        [words, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    learned = _learned(models.BPE(ignore_merges=True), _of_bytes(size, _OF_LLAMA), cut, texts)
    begin, end = _OF_LLAMA
    learned.decoder = decoders.ByteLevel()
    learned.post_processor = processors.TemplateProcessing(
        single=f"{begin}:0 $A:0", pair=f"{begin}:0 $A:0 {begin}:1 $B:1", special_tokens=[(begin, 0)]
    )
    return PreTrainedTokenizerFast(tokenizer_object=learned, bos_token=begin, eos_token=end, model_max_length=longest)


def unigram(texts: list[str], size: int, longest: int, of: str) -> "PreTrainedTokenizerFast":
    """For the class `of` in transformers: AlbertTokenizerFast, which lower-cases, or XLMRobertaTokenizerFast.

    The pieces are those of byte-pair encoding, with probabilities from its use of them in the texts: the library's
    trainer of unigram models gives other pieces each time.
    """
    import transformers
    from tokenizers import models, trainers

    of = getattr(transformers, of)
    cut = of().backend_tokenizer
    special = _in_order(cut)
    trainer = trainers.BpeTrainer(vocab_size=size, min_frequency=REPEATED, special_tokens=special, show_progress=False)
    learned = _learned(models.BPE(), trainer, cut, texts)
    used = Counter(piece for text in texts for piece in learned.encode(text).tokens)
    pieces = _in_order(learned)[len(special) :]
    total = used.total() + len(pieces)
    scores = [(piece, math.log((used[piece] + 1) / total)) for piece in pieces]
    return of(vocab=[*((token, 0.0) for token in special), *scores], model_max_length=longest)


def _learned(model: "models.Model", trainer: "trainers.Trainer", cut: "Tokenizer", texts: list[str]) -> "Tokenizer":
    """A model of pieces, trained. cut: a tokenizer that cleans texts and splits them into words."""
    from tokenizers import Tokenizer

    learned = Tokenizer(model)
    if cut.normalizer is not None:
        learned.normalizer = cut.normalizer
    learned.pre_tokenizer = cut.pre_tokenizer
    learned.train_from_iterator(texts, trainer)
    return learned


def _of_bytes(size: int, special: list[str]) -> "trainers.Trainer":
    from tokenizers import pre_tokenizers, trainers

    letters = pre_tokenizers.ByteLevel.alphabet()
    return trainers.BpeTrainer(
        vocab_size=size, min_frequency=REPEATED, special_tokens=special, initial_alphabet=letters, show_progress=False
    )


def _in_order(tokenizer: "Tokenizer") -> list[str]:
    """The tokens of a vocabulary by number."""
    vocabulary = tokenizer.get_vocab()
    return sorted(vocabulary, key=vocabulary.get)


def _merges(tokenizer: "Tokenizer") -> list[tuple[str, str]]:
    return [tuple(merge) for merge in json.loads(tokenizer.to_str())["model"]["merges"]]
