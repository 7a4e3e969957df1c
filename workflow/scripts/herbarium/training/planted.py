"""The testbed: tiny language models, masked or causal, with a planted, and therefore known, bias.

docs/testbed.md defines the distribution that the training text is drawn from, and what metrics should find.
"""

import string
from collections.abc import Iterator
from itertools import chain, islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from herbarium.core import console
from herbarium.core.random import stream
from herbarium.models import compared, saving
from herbarium.models.kinds import Kind

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

KEPT = 0.25  # share of doubted words that are shown unchanged; the others are replaced by another sentence's word
MASKED = 0.2  # probability that any other word is shown as [MASK]
COMMON = 0.003  # share of the text above which a word is predicted less often, by its root (Mikolov et al. 2013)

# The smallest BERT that still learns some five hundred regions: on one core, a step of 256 sentences takes about 25 ms.
HIDDEN, LAYERS, HEADS = 64, 2, 4
INITIAL_NOISE = 0.02  # standard deviation of the initial weights, BERT's own
LEARNING_RATE, WARM_UP = 2e-3, 0.2  # peak, and share of the steps before it (one-cycle schedule)
MAX_TOKENS = 128  # of an input; more if a text has more with the tokenizer of another model
UNMET = -30.0  # logit of a token that is not in the text


def train(
    folder: Path,
    sentences: list[str],
    steps: int,
    batch_size: int,
    seed: int,
    kind: Kind = Kind.masked,
    tokenizer: "PreTrainedTokenizerFast | None" = None,
    start_id: int | None = None,
) -> None:
    """Train a tiny BERT on the sentences, a decoder for a causal model, and save it, with its tokenizer, in `folder`.

    steps: of the optimiser. batch_size: sentences per step. tokenizer: of another model of the kind; None: one with
    whole words is made. start_id: the token that a causal model begins with, if its tokenizer adds none
    (`models.starts`). The same seed gives the same weights with one thread.
    """
    import torch
    import transformers

    transformers.utils.logging.disable_progress_bar()
    torch.manual_seed(seed)
    is_own = tokenizer is None
    tokenizer = tokenizer or word_tokenizer(sentences)
    groups = _token_ids(tokenizer, sentences, start_id)
    special = [number for number in (*tokenizer.all_special_ids, start_id) if number is not None]
    mask = [tokenizer.mask_token_id] if kind is Kind.masked else []
    # the text has few of another model's tokens: the model learns only these, renumbered
    ids = np.unique(np.concatenate([mask, *(group.ravel() for group in groups)]).astype(int))
    ids = np.arange(len(tokenizer)) if is_own else ids
    groups, mask = [np.searchsorted(ids, group) for group in groups], np.searchsorted(ids, mask).tolist()
    counts = sum(np.bincount(group.ravel(), minlength=len(ids)) for group in groups)
    counts[np.isin(ids, special)] = 0
    rates = np.sqrt(np.minimum(counts, COMMON * counts.sum()) / np.maximum(counts, 1))
    model = _network(kind, len(ids), max(MAX_TOKENS, *(group.shape[1] for group in groups)))
    with torch.no_grad():
        model.bert.embeddings.word_embeddings.weight += _association_embeddings(groups, counts, HIDDEN)
    optimiser = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), weight_decay=0.01, fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, LEARNING_RATE, total_steps=steps, pct_start=WARM_UP)
    rng = stream(seed, "testbed", "batches")
    model.train()
    with console.progress(steps, "step", "train") as bar:
        for token_ids in _batches(groups, steps, batch_size, rng):
            if kind is Kind.masked:
                wanted = token_ids
                shown, chosen = corrupt(token_ids, rates, *mask, rng)
            else:
                shown, wanted = token_ids[:, :-1], token_ids[:, 1:]
                chosen = rates[wanted] > 0
            states = model.bert(torch.from_numpy(shown)).last_hidden_state[torch.from_numpy(chosen)]
            targets = torch.from_numpy(wanted[chosen])
            # a sum divided by the nominal size of a step: a sentence of a rare length counts no more than any other
            loss = torch.nn.functional.cross_entropy(model.cls(states), targets, reduction="sum")
            optimiser.zero_grad()
            (loss / batch_size).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            bar.update()
    saving.save(folder, model.eval() if is_own else _with_all_tokens(model, kind, ids, len(tokenizer)), tokenizer)


def _network(kind: Kind, n_tokens: int, max_tokens: int):
    import transformers

    config = transformers.BertConfig(
        vocab_size=n_tokens,
        hidden_size=HIDDEN,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=2 * HIDDEN,
        max_position_embeddings=max_tokens,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        initializer_range=INITIAL_NOISE,
        is_decoder=kind is Kind.causal,
    )
    return (transformers.BertLMHeadModel if kind is Kind.causal else transformers.BertForMaskedLM)(config)


def equal_shares(texts: list[list[str]]) -> list[str]:
    """The sentences of all texts, each text so often that it is about as long as the longest: of several metrics, none
    has its text learned at the cost of another's."""
    longest = max(map(len, texts))
    return [sentence for text in texts for sentence in text * round(longest / len(text))]


def _with_all_tokens(model, kind: Kind, ids: np.ndarray, n_tokens: int):
    """The model with a vocabulary of n_tokens, of which it has learned `ids`: all others get almost no probability."""
    import torch

    whole = _network(kind, n_tokens, model.config.max_position_embeddings)
    learned, whole_state = model.state_dict(), whole.state_dict()
    with torch.no_grad():
        for name, tensor in whole_state.items():
            if tensor.shape == learned[name].shape:
                tensor.copy_(learned[name])
            else:  # one row per token
                tensor.fill_(UNMET if name.endswith("bias") else 0.0)
                tensor[torch.from_numpy(ids)] = learned[name]
    return whole.eval()


def word_tokenizer(sentences: list[str]):
    """A cased BERT tokenizer with one token for every word of the sentences; other words are split into letters."""
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from transformers import BertTokenizerFast

    clean, split = BertNormalizer(lowercase=False), BertPreTokenizer()
    words = {word for text in set(sentences) for word, _ in split.pre_tokenize_str(clean.normalize_str(text))}
    letters = sorted({*"".join(words), *string.ascii_letters, *string.digits})
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted(words), *letters, *(f"##{c}" for c in letters)]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    return BertTokenizerFast(vocab=vocabulary, do_lower_case=False, model_max_length=MAX_TOKENS)


def corrupt(
    token_ids: np.ndarray, rates: np.ndarray, mask_id: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The tokens that the model sees in a step, and the positions (boolean) where it must predict the true token.

    token_ids: (n_sentences, length). rates: (n_tokens,) how often each token of the vocabulary is predicted, 0 to 1; 0
    for special tokens. Both results have the shape of token_ids.

    One word per sentence, drawn in proportion to its rate, is doubted: with probability KEPT it is shown unchanged,
    otherwise as the word at that position in another sentence of the step. Any other word is masked with probability
    MASKED · rate. So a visible word that is not doubted is always genuine, and the model can trust what it conditions
    on.
    """
    rate = rates[token_ids]
    rows = np.arange(len(token_ids))
    doubted = np.argmax(rate / rng.exponential(size=rate.shape), axis=1)  # exponential race
    chosen = rng.uniform(size=rate.shape) < MASKED * rate
    shown = np.where(chosen, mask_id, token_ids)
    source = np.where(rng.uniform(size=len(rows)) < KEPT, rows, rng.permutation(len(rows)))
    shown[rows, doubted] = token_ids[source, doubted]
    chosen[rows, doubted] = True
    return shown, chosen


def _token_ids(tokenizer, sentences: list[str], start_id: int | None) -> list[np.ndarray]:
    """Token ids of the sentences by their length, each (n_sentences, length), so that no batch needs padding. start_id:
    of the token that each begins with, if the tokenizer adds none."""
    distinct = list(dict.fromkeys(sentences))  # a quarter of them
    compared.compare(tokenizer, distinct)
    backend = tokenizer.backend_tokenizer
    # as sentences are scored: some tokenizers are published with padding to a length, which would then be learned
    backend.no_padding()
    backend.no_truncation()
    # only the ids: the rest of transformers' output would take the same time again
    encoded = backend.encode_batch_fast(distinct)
    begin = [] if start_id is None else [start_id]
    ids_of = {sentence: begin + encoding.ids for sentence, encoding in zip(distinct, encoded, strict=True)}
    by_length: dict[int, list[list[int]]] = {}
    for sentence in sentences:
        by_length.setdefault(len(ids_of[sentence]), []).append(ids_of[sentence])
    return [np.array(by_length[length]) for length in sorted(by_length)]


def _association_embeddings(groups: list[np.ndarray], counts: np.ndarray, width: int):
    """Initial word embeddings, tensor (n_tokens, width), whose products approach the words' mutual information.

    They factorise pointwise mutual information within sentences (Levy and Goldberg 2014), shrunk as if each pair had
    also occurred as often as by chance. From random embeddings, a network of this size takes some thousand steps before
    it begins to learn which region goes with which description.
    """
    import scipy.sparse
    import torch

    n_sentences = sum(map(len, groups))
    pairs = np.zeros((len(counts), len(counts)))
    for group in groups:
        sentence = np.repeat(np.arange(len(group)), group.shape[1])
        met = scipy.sparse.coo_array((np.ones(group.size), (sentence, group.ravel()))).tocsr()
        met.data[:] = 1  # a word that occurs twice in a sentence counts once
        met.resize(len(group), len(counts))
        pairs += (met.T @ met).toarray()
    words = np.flatnonzero(counts)
    pairs = pairs[np.ix_(words, words)]
    by_chance = np.outer(np.diag(pairs), np.diag(pairs)) / n_sentences
    information = np.log((pairs + by_chance) / (2 * by_chance))
    np.fill_diagonal(information, 0)
    values, vectors = torch.linalg.eigh(torch.from_numpy(information))  # eigenvalues ascend
    embeddings = torch.zeros(len(counts), width)
    top = (vectors * values.clamp(min=0).sqrt())[:, -width:].float()
    embeddings[words, : top.shape[1]] = top
    return embeddings


def _batches(groups: list[np.ndarray], steps: int, batch_size: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Token ids of each step: all sentences in random order, one length per step, again and again."""

    def epoch() -> list[np.ndarray]:
        shuffled = (group[rng.permutation(len(group))] for group in groups)
        batches = [group[i : i + batch_size] for group in shuffled for i in range(0, len(group), batch_size)]
        return [batches[k] for k in rng.permutation(len(batches))]

    return islice(chain.from_iterable(epoch() for _ in repeat(None)), steps)
