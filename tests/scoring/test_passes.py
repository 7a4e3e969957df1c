"""The shape of a pass: what it depends on, and how many of its tokens are useful."""

import numpy as np
import pytest
import torch
import transformers

from herbarium.scoring import answering

# How many sentences have each length in tokens, from 4 on: CrowS-Pairs, as counted with the tokenizer of SmolLM2.
# fmt: off
_CROWS_PAIRS = np.array([
    2, 5, 11, 27, 64, 104, 143, 177, 240, 245, 257, 259, 215, 218, 158, 150, 124, 81, 75, 78, 52, 70, 37,
    45, 26, 17, 15, 16, 16, 10, 10, 13, 11, 3, 10, 7, 2, 3, 4, 0, 4, 4, 2, 0, 2, 2,
])
# fmt: on
# Of others, the mean and standard deviation of the logarithm, and the number: WinoBias has sentences of about the same
# length, which differ less; BBQ a context, without or with the one that decides, a question and three answers.
_DRAWN = {"WinoBias": [(2.77, 0.2, 3_168)], "BBQ": [(3.6, 0.2, 87_738), (4.1, 0.2, 87_738)]}
SETS = ("CrowS-Pairs", *_DRAWN)


def model(parameters, dtype="float32"):
    """A model without weights, with about so many in its layers."""
    with torch.device("meta"):
        if parameters == "85M":  # BERT's base size
            made = transformers.BertForMaskedLM(transformers.BertConfig())
        else:
            hidden, layers, inner = {"1B": (2_048, 16, 8_192), "7B": (4_096, 32, 11_008)}[parameters]
            made = transformers.LlamaForCausalLM(
                transformers.LlamaConfig(hidden_size=hidden, num_hidden_layers=layers, intermediate_size=inner)
            )
    return made.to(getattr(torch, dtype))


@pytest.mark.parametrize(
    ("parameters", "dtype", "tokens"),
    [
        ("85M", "float32", 1_024),  # 2^36 / 86 million = 800
        ("85M", "bfloat16", 8_192),  # 2^39 / 86 million = 6,400
        ("1B", "float32", 256),  # 2^36 / 1.1 billion = 64
        ("1B", "float16", 512),  # 2^39 / 1.1 billion = 510
        ("7B", "float32", 256),
        ("7B", "bfloat16", 256),  # 2^39 / 6.5 billion = 85
    ],
)
def test_a_pass_on_a_gpu_is_the_smaller_the_larger_the_model(parameters, dtype, tokens):
    assert answering.tokens_a_pass(model(parameters, dtype), "cuda") == tokens
    assert answering.tokens_a_pass(model(parameters, dtype), "cpu") == 512


def test_the_vocabulary_is_no_work_of_a_pass():
    with torch.device("meta"):
        many, few = (
            transformers.BertForMaskedLM(transformers.BertConfig(vocab_size=size)) for size in (250_000, 1_000)
        )
    assert answering.tokens_a_pass(many, "cuda") == answering.tokens_a_pass(few, "cuda")


def lengths_of(name, n_copies=None):
    """The lengths of inputs and how many there are of each. n_copies: of an input, by its length; None: one."""
    if name in _DRAWN:
        random = np.random.default_rng(0)
        drawn = [np.rint(random.lognormal(mean, sd, n)).astype(int) for mean, sd, n in _DRAWN[name]]
        lengths, n = np.unique(np.concatenate(drawn), return_counts=True)
    else:
        lengths, n = np.arange(len(_CROWS_PAIRS)) + 4, _CROWS_PAIRS
    return lengths, n if n_copies is None else n * n_copies(lengths)


def useful(name, device, tokens, n_copies=None):
    """The share of the tokens of passes that are not filler: of sentences for a causal model, of copies for a masked
    one."""
    lengths, n = lengths_of(name, n_copies)
    filled, kind = np.unique(answering.filled_shape(0 * n, lengths, cuts=n_copies is None)[1], return_inverse=True)
    n_filled = np.bincount(kind, n).astype(int)
    return lengths @ n / answering.count_passes(filled, n_filled, device, tokens)[1]


@pytest.mark.parametrize("name", SETS)
def test_most_tokens_are_useful_where_a_pass_takes_longer_than_its_launch(name):
    """On a CPU, and on a GPU for models whose passes are the smallest."""
    assert useful(name, "cpu", 512) > 0.95
    assert useful(name, "cpu", 512, masked) > 0.99
    assert useful(name, "cuda", 256) > 0.9


def masked(length):
    """Of a sentence, a copy with each token masked; two are special."""
    return np.maximum(length - 2, 1)


@pytest.mark.parametrize(
    ("name", "tokens", "of_sentences", "of_masked_copies"),
    [
        ("CrowS-Pairs", 256, 94, 99),
        ("CrowS-Pairs", 512, 89, 99),
        ("CrowS-Pairs", 1_024, 79, 97),
        ("CrowS-Pairs", 8_192, 24, 83),
        ("WinoBias", 256, 94, 100),
        ("WinoBias", 512, 91, 99),
        ("WinoBias", 1_024, 83, 98),
        ("WinoBias", 8_192, 35, 87),
        ("BBQ", 256, 96, 100),
        ("BBQ", 512, 96, 100),
        ("BBQ", 1_024, 96, 100),
        ("BBQ", 8_192, 95, 100),
    ],
)
def test_how_many_tokens_are_useful_on_a_gpu(name, tokens, of_sentences, of_masked_copies):
    """As the table of docs/scoring.md has it."""
    assert round(100 * useful(name, "cuda", tokens)) == of_sentences
    assert round(100 * useful(name, "cuda", tokens, masked)) == of_masked_copies


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("tokens", [256, 2_048, 16_384])
def test_filler_is_less_than_a_pass_a_length(name, tokens):
    lengths, n = lengths_of(name)
    n_passes, n_tokens = answering.count_passes(lengths, n, "cuda", tokens)
    assert n_tokens - lengths @ n < len(lengths) * tokens
    assert n_passes <= lengths @ n / (tokens - lengths.max()) + len(lengths)


@pytest.mark.parametrize("length", [1, 7, 40, 300])
@pytest.mark.parametrize("tokens", [256, 2_048])
def test_on_a_gpu_every_pass_of_a_length_has_one_shape(length, tokens):
    """However many inputs there are."""
    most = max(1, tokens // length)
    shapes = {answering.count_passes(np.array([length]), np.array([n]), "cuda", tokens) for n in range(1, most + 1)}
    assert shapes == {(1, most * length)}
