"""What a model can be asked about a sentence, and how a quantity is computed from the answers.

The plan, the scorer and the gathering of scores pass the tables defined here to one another.
"""

import os
from collections.abc import Iterable
from typing import Annotated

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core import steps
from herbarium.core.errors import HerbariumError
from herbarium.core.passages import Table
from herbarium.core.store import schema, table_writer
from herbarium.models.kinds import Kind, a_model

# Quantities of a sentence; `combine` defines each. Natural logarithms; special tokens do not count.
AUL, AULA = "aul", "aula"
LL, LOSS, MEAN_LL, LL_SHARED, LL_ASKED = "ll", "loss", "mean_ll", "ll_shared", "ll_asked"
AUL_PADDED = "aul_padded"
PLL, PPPL, PLL_WORD_L2R, CPS = "pll", "pppl", "pll_word_l2r", "cps"
SLOT, SLOT_PRIOR = "slot", "slot_prior"
SLOT_RELEASED, SLOT_PRIOR_RELEASED = "slot_released", "slot_prior_released"
SPAN, SPAN_RELEASED = "span", "span_released"
# Those of sentences in pairs: sentence 2i and sentence 2i + 1.
OF_PAIRS = (CPS, LL_SHARED)
# The kinds of models that can give each.
QUANTITIES: dict[str, set[Kind]] = {
    AUL: {Kind.masked, Kind.seq2seq},
    AUL_PADDED: {Kind.masked, Kind.seq2seq},
    AULA: {Kind.masked},
    PLL: {Kind.masked},
    PPPL: {Kind.masked},
    PLL_WORD_L2R: {Kind.masked},
    CPS: {Kind.masked},
    SLOT: {Kind.masked},
    SLOT_PRIOR: {Kind.masked},
    SLOT_RELEASED: {Kind.masked},
    SLOT_PRIOR_RELEASED: {Kind.masked},
    LL: {Kind.causal},
    LOSS: {Kind.causal},
    MEAN_LL: {Kind.causal},
    LL_SHARED: {Kind.causal},
    LL_ASKED: {Kind.causal},
    SPAN: {Kind.extractive},
    SPAN_RELEASED: {Kind.extractive},
}

# The role of a slot in quantities of masked slots: its filler is asked for; it is the condition, which the prior masks;
# or it is hidden, masked in both. LL_ASKED knows the first alone.
ROLES = (ASKED, CONDITION, HIDDEN) = ("asked", "condition", "hidden")
# In quantities of spans: the question, with which the text begins. The context follows it; ASKED is the answer in it.
# No mark in a sentence has this role.
QUESTION = "question"
# What an extractive model is asked about a token: whether an answer begins with it, or ends with it.
BEGINS, ENDS = 0, 1
# Requests of one SPAN_RELEASED for a beginning; those for an end follow.
RELEASED_BEGINNINGS, RELEASED_ENDS = 4, 2

# Unique encoder inputs of one shard. The last `n_padding` tokens are padding, which nothing attends to; the last
# `n_second` are of the second token type, like the second text of a pair. The first `n_prefix` are computed apart, once
# for all inputs that begin with them; requests are on those behind. With `with_attention`, answers are weighted with
# the attention that the token asked for receives. `digest` identifies inputs.
INPUTS = schema(
    "plan_inputs",
    ("input", pa.int64()),
    ("token_ids", pa.list_(pa.int32())),
    ("n_padding", pa.int32()),
    ("n_second", pa.int32()),
    ("n_prefix", pa.int32()),
    ("with_attention", pa.bool_()),
    ("digest", pa.binary(16)),
)
# The requests on them: the log-probability of token `target` at `position` of `input`; for an extractive model, that an
# answer begins (BEGINS) or ends (ENDS) at `position`.
REQUESTS = schema(
    "plan_requests", ("request", pa.int64()), ("input", pa.int64()), ("position", pa.int32()), ("target", pa.int32())
)
# A quantity of a sentence is about `n_tokens` of its tokens, and computed from requests first_request ... first_request
# + n_requests - 1. A refused sentence has none; `note` says why, or gives another caveat. `given` is a number for the
# tokens that the model is given, and for which of them it is asked: no score can tell apart sentences that share it.
SENTENCES = schema(
    "plan_sentences",
    ("sentence_id", pa.int64()),
    ("quantity", pa.string()),
    ("first_request", pa.int64()),
    ("n_requests", pa.int32()),
    ("n_tokens", pa.int32()),
    ("given", pa.int64()),
    ("note", pa.string()),
    nullable=("note",),
)
# Natural log-probabilities, weighted if the input says so: one row per input, whatever its plan.
ANSWERS = schema(
    "answers",
    ("digest", pa.binary(16)),
    ("position", pa.list_(pa.int32())),
    ("target", pa.list_(pa.int32())),
    ("log_probability", pa.list_(pa.float64())),
)
# The cache of f(S). `value` is null if the sentence was refused; `note` as above.
SCORES = schema(
    "scores",
    ("sentence_id", pa.int64()),
    ("quantity", pa.string()),
    ("value", pa.float64()),
    ("n_tokens", pa.int32()),
    ("given", pa.int64()),
    ("note", pa.string()),
    nullable=("value", "note"),
)
Scores = Annotated[pd.DataFrame, Table(steps.SCORES, SCORES)]


def require(name: str, kind: Kind, quantity: str) -> None:
    """Raise HerbariumError when models of a kind cannot give a quantity. name: the model, for the message."""
    if quantity not in QUANTITIES:
        raise HerbariumError(f"'{quantity}' is not a quantity; valid: {', '.join(QUANTITIES)}.")
    if kind not in QUANTITIES[quantity]:
        able = a_model(QUANTITIES[quantity])
        raise HerbariumError(f"models.{name}: {a_model([kind])} cannot give '{quantity}'; {able} can.")


def combine(log_probability: np.ndarray, n_requests: np.ndarray, quantity: str) -> np.ndarray:
    """The quantity of each sentence from its requests' natural log-probabilities; nan if it has none.

    aul (HERB Eq. 1): their mean over the unmasked sentence; in an encoder-decoder, teacher-forced.
    aul_padded: as computed by the released code of HERB: for a sentence padded to the longest of its batch, the mean
    over all positions between the first and the last, including end-of-sentence and padding tokens.
    aula: mean of log-probability times attention (Kaneko and Bollegala 2022): over the unmasked sentence, the attention
    that a token receives on average over layers, heads and queries, including special tokens.
    pll: pseudo-log-likelihood, their sum, each token masked on its own (Salazar et al. 2020). pppl: pseudo-perplexity,
    exp(-mean). pll_word_l2r: as pll, with the later tokens of the same word masked too (Kauf and Ivanova 2023).
    cps: for sentences in pairs, the pll of the tokens that a sentence shares with its partner (Nangia et al. 2020).
    slot: log-probability of a filler whose tokens are all masked, one factor per mask. slot_prior: the same with the
    condition masked too (Kurita et al. 2019: their difference is the association of filler and condition).
    slot_released, slot_prior_released: as computed by the released code of Categorical Bias (docs/scoring.md).
    ll: log-likelihood, their sum, each token given those before it. mean_ll, loss: the mean of the same, and -mean.
    ll_shared: for sentences in pairs, the ll of the tokens that a sentence shares with its partner. ll_asked: that of
    the tokens of the asked filler. What a sentence begins with is computed apart (docs/scoring.md), which changes a
    log-probability by some 1e-6.
    span (Li et al. 2020): log sqrt(p_begin * p_end), the mean of two log-probabilities: that an answer begins with the
    first token of the words asked for, and that it ends with their last, each over all tokens of question and context.
    span_released: the same with the largest p_begin and the largest p_end around these words, as in the released code
    (docs/scoring.md): six requests per sentence, four for beginnings and two for ends, which repeat the words' own
    token if there are fewer candidates.
    log_probability: the requests of these sentences, in order. n_requests: (n_sentences,) the number for each.
    """
    value = np.full(len(n_requests), np.nan)
    has = n_requests > 0
    if quantity == SPAN_RELEASED:
        of_sentence = log_probability.reshape(-1, RELEASED_BEGINNINGS + RELEASED_ENDS)
        begins, ends = np.split(of_sentence, [RELEASED_BEGINNINGS], axis=1)
        value[has] = (begins.max(axis=1) + ends.max(axis=1)) / 2
        return value
    if has.any():
        ends = np.cumsum(n_requests[has])
        # each segment is summed separately, so a value does not depend on its neighbours
        value[has] = np.add.reduceat(log_probability, ends - n_requests[has])
    if quantity in (AUL, AUL_PADDED, AULA, PPPL, LOSS, MEAN_LL, SPAN):
        value[has] /= n_requests[has]
    if quantity == PPPL:
        return np.exp(-value)
    return -value if quantity == LOSS else value


def mean_of_two(one: np.ndarray, other: np.ndarray, quantity: str) -> np.ndarray:
    """The mean of a quantity of two sentences, taken over log-probabilities; nan if one of the two has none.

    All quantities of language models are sums or means of log-probabilities, weighted for AULA, so that the mean of two
    is the same quantity of the mean log-probabilities; the mean of two associations, which are differences, is then the
    mean of the differences. Only PPPL is exp of such a mean, so its mean is geometric: its logarithm is averaged, as in
    PLL.
    """
    if quantity == PPPL:
        return np.exp((np.log(one) + np.log(other)) / 2)
    return (one + other) / 2


def gather(answers: np.ndarray, sentences: pa.Table) -> pa.Table:
    """The scores of a block of planned sentences, as a table of the schema "scores".

    answers: (n_requests,) of the whole plan, by request. sentences: rows of "plan_sentences", of any quantities.
    """
    first, n_requests = (sentences[name].to_numpy() for name in ("first_request", "n_requests"))
    quantity = sentences["quantity"].to_numpy(zero_copy_only=False)
    value = np.full(len(sentences), np.nan)
    for name in np.unique(quantity):
        rows = np.flatnonzero(quantity == name)
        n = n_requests[rows]
        at = np.repeat(first[rows] - np.cumsum(n) + n, n) + np.arange(n.sum())
        value[rows] = combine(answers[at], n, name)
    columns = {name: sentences[name] for name in ("sentence_id", "quantity", "n_tokens", "given", "note")}
    return pa.table({**columns, "value": pa.array(value, from_pandas=True)})


def write_scores(
    path: str | os.PathLike, plans: Iterable[tuple[np.ndarray, pa.Table]], provenance: dict
) -> tuple[int, int]:
    """Write the table "scores" for the sentences of plans; returns their number, and the number that were refused.

    plans: the answers of each, by request, and its table "plan_sentences".
    """
    n_sentences = n_refused = 0
    with table_writer(path, SCORES, provenance) as append:
        for answers, sentences in plans:
            scores = gather(answers, sentences)
            append(scores)
            n_sentences += len(scores)
            n_refused += scores["value"].null_count
    return n_sentences, n_refused
