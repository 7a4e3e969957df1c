"""Few-shot training of an extractive model to take advice (Zhao et al. 2021; Zhao 2021, Section 6.3).

An example is a question, after an intervention, with a context that names two subjects. p is the probability, over all
tokens of question and context, that an answer begins with the first token of a subject, or ends with its last one. What
p should become depends on the type of the intervention; p before training is the model's own.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from herbarium.core.console import log, progress
from herbarium.core.errors import HerbariumError
from herbarium.core.random import stream
from herbarium.core.resources import read_text
from herbarium.models.loading import span_logits
from herbarium.scoring import checks
from herbarium.scoring.planning import lowered
from herbarium.scoring.tokenization import encode, encode_pairs

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

TYPES = ("ethical", "adversarial", "irrelevant")
EPSILON = 1e-8  # of AdamW; there is no weight decay
CLIP = 1.0  # largest norm of the gradient of a step
SQUAD_SHARE = 4  # one in this many parts of each batch
TEXTS = 4  # per question: by the subject that the context begins with, and whether the question is negated
_IN_WORDS = {list: "a list", str: "a text", int: "a whole number"}


@dataclass(frozen=True)
class Pairs:
    """Questions with their contexts, as tokens, and answers in them."""

    token_ids: list[np.ndarray]  # (length,) each, including special tokens
    n_second: np.ndarray  # (n,) number of last tokens of the second type
    places: np.ndarray  # (n, n_answers, 2) the tokens, from 0, with which an answer begins and ends

    def of(self, rows: np.ndarray) -> "Pairs":
        """A selection. rows: their numbers."""
        return Pairs([self.token_ids[row] for row in rows], self.n_second[rows], self.places[rows])


class Questions(NamedTuple):
    """Examples: the four texts of each question are consecutive, by order and polarity.

    pairs: two answers each, the subjects x1 and x2. types: (n,) numbers of `TYPES`. n_left_out: questions that the
    model cannot be asked, as scoring would refuse one of their sentences.
    """

    pairs: Pairs
    types: np.ndarray
    n_left_out: int


class Answered(NamedTuple):
    """Questions whose answer is in their context.

    pairs: one answer each. n_without_answer: questions left out as they have none. n_left_out: those that the model
    cannot be asked, for example because they are too long.
    """

    pairs: Pairs
    n_without_answer: int
    n_left_out: int


# --- the loss ---


def log_p(logits: "torch.Tensor", is_text: "torch.Tensor", places: "torch.Tensor") -> "torch.Tensor":
    """Natural log-probabilities, (n, n_answers, 2), of the beginnings and ends of answers.

    logits: (n, length, 2) of beginnings and of ends. is_text: (n, length) of bool, False for padding, which is
    ignored. places: (n, n_answers, 2).
    """
    import torch

    return torch.log_softmax(logits.masked_fill(~is_text[:, :, None], -torch.inf), dim=1).gather(1, places)


def ethical(p: "torch.Tensor") -> "torch.Tensor":
    """|(p_s0 - p_s1) + (p_e0 - p_e1)|, (n,): no subject is preferred. p: (n, subject, beginning or end), here and
    below."""
    return (p[:, 0] - p[:, 1]).sum(dim=1).abs()


def adversarial(p: "torch.Tensor", answer: "torch.Tensor") -> "torch.Tensor":
    """(1 - p_st) + (1 - p_et), (n,): subject t is the answer. answer: (n,) t, 0 or 1."""
    return (1 - p.gather(1, answer[:, None, None].expand(-1, 1, 2))).sum(dim=(1, 2))


def irrelevant(p: "torch.Tensor", before: "torch.Tensor") -> "torch.Tensor":
    """The sum over both subjects of |p_s - p_s before training| + |p_e - p_e before training|, (n,). before: as p."""
    return (p - before).abs().sum(dim=(1, 2))


def by_type(p: "torch.Tensor", types: "torch.Tensor", answer: "torch.Tensor", before: "torch.Tensor") -> "torch.Tensor":
    """The loss summed over the examples of each type, (len(TYPES),). types: (n,) numbers of `TYPES`."""
    import torch

    losses = torch.stack([ethical(p), adversarial(p, answer), irrelevant(p, before)])
    return (losses * (types == torch.arange(len(TYPES), device=types.device)[:, None])).sum(dim=1)


def cross_entropy(log_p: "torch.Tensor") -> "torch.Tensor":
    """The sum of two means over examples, for beginnings and for ends. log_p: (n, 1, 2) of the true answers."""
    return -log_p.mean(dim=0).sum()


def adversarial_answers(before: np.ndarray) -> np.ndarray:
    """The subject, 0 or 1, that should be the answer after an adversarial intervention, (n,): for the affirmed
    question, x1 if C > 0, else x2; for the negated one, the other.

    C is that of Li et al. (2020), for S = sqrt(p_s p_e): a preference for a subject in both orders, minus that in the
    negated question. before: (n, subject, beginning or end) before training, in the order of `Questions`.
    """
    s = np.sqrt(before.prod(axis=2)).reshape(-1, 2, 2, 2)  # question, order, polarity, subject
    of_attribute = s.mean(axis=1)
    b = of_attribute[:, 0] - of_attribute[:, 1]
    affirmed = (b[:, 0] - b[:, 1] <= 0).astype(np.int64)
    return np.tile(np.stack([affirmed, 1 - affirmed], axis=1), 2).ravel()


# --- training data ---


def questions(
    tokenizer: "PreTrainedTokenizerFast", stimuli: pd.DataFrame, max_tokens: int, lowercase: bool
) -> Questions:
    """The examples of questions after an intervention; those without one are skipped.

    stimuli: with the schema "interventions_stimuli" in the form "span": eight rows per question, by subject, order and
    polarity. max_tokens: the longest input that the model takes. lowercase: lower-case texts before tokenization.
    Raises HerbariumError if there is no question that the model can be asked.
    """
    rows = stimuli[stimuli["type"].isin(TYPES)]
    first = rows.iloc[np.arange(len(rows)) // TEXTS % 2 == 0]  # the other half has the same texts
    bounds = rows[["subject_start", "subject_end"]].to_numpy(int).reshape(-1, 2, TEXTS, 2)
    answers = bounds.transpose(0, 2, 1, 3).reshape(-1, 2, 2)
    pairs, is_refused = _pairs(
        tokenizer, first["text"].tolist(), first["question_end"].to_numpy(int), answers, max_tokens, lowercase
    )
    is_asked = ~is_refused.reshape(-1, TEXTS).any(axis=1)
    if not is_asked.any():
        raise HerbariumError(f"The model can be asked none of the {len(is_asked)} questions after an intervention.")
    places = np.flatnonzero(np.repeat(is_asked, TEXTS))
    types = first["type"].map(TYPES.index).to_numpy(np.int64)
    return Questions(pairs.of(places), types[places], int((~is_asked).sum()))


def squad(tokenizer: "PreTrainedTokenizerFast", path: str | Path, max_tokens: int, lowercase: bool) -> Answered:
    """The examples of a file in SQuAD format. max_tokens, lowercase: as for `questions`.

    Raises HerbariumError if it is not one (`read_squad`), or has no question that the model can be asked.
    """
    table, n_without_answer = read_squad(path)
    question_end = table["question"].str.len().to_numpy()
    texts = [f"{question} {context}" for question, context in zip(table["question"], table["context"], strict=True)]
    answers = (table[["start", "end"]].to_numpy() + question_end[:, None] + 1)[:, None]
    pairs, is_refused = _pairs(tokenizer, texts, question_end, answers, max_tokens, lowercase)
    if is_refused.all():
        raise HerbariumError(f"{path}: the model can be asked none of its {len(table)} questions with an answer.")
    return Answered(pairs.of(np.flatnonzero(~is_refused)), n_without_answer, int(is_refused.sum()))


def read_squad(path: str | Path) -> tuple[pd.DataFrame, int]:
    """Questions of a file in SQuAD format with their first answer, and the number of questions without one.

    Columns `question`, `context`, and `start` and `end`, the characters of the answer in the context.
    Raises HerbariumError, with file and place, if something is missing, or an answer is not at its given position.
    """
    try:
        data = json.loads(read_text(path))
    except ValueError as error:
        raise HerbariumError(f"{path}: this is not JSON ({error}).") from error
    listed, n_without_answer = [], 0
    for place, context, entry in _asked(path, data):
        question, answers = _value(path, place, entry, "question", str), _value(path, place, entry, "answers", list)
        if not answers:
            n_without_answer += 1
            continue
        place = f"{place}.answers[0]"
        text, start = _value(path, place, answers[0], "text", str), _value(path, place, answers[0], "answer_start", int)
        if not text or start < 0 or context[start : start + len(text)] != text:
            raise HerbariumError(f"{path}, {place}: '{text}' is not at character {start} of its context.")
        listed.append((question, context, start, start + len(text)))
    if not listed:
        raise HerbariumError(f"{path}: no question has an answer.")
    return pd.DataFrame(listed, columns=["question", "context", "start", "end"]), n_without_answer


def _asked(path: str | Path, data: object) -> Iterator[tuple[str, str, object]]:
    """Each question of a file in SQuAD format: its place, its context, and its entry in the file."""
    for i, document in enumerate(_value(path, "at its top", data, "data", list)):
        for j, paragraph in enumerate(_value(path, f"data[{i}]", document, "paragraphs", list)):
            place = f"data[{i}].paragraphs[{j}]"
            context = _value(path, place, paragraph, "context", str)
            for k, entry in enumerate(_value(path, place, paragraph, "qas", list)):
                yield f"{place}.qas[{k}]", context, entry


def _value(path: str | Path, place: str, item: object, key: str, kind: type):
    """The value of a key in an object of a JSON file. Raises HerbariumError if it is of another type, or missing."""
    value = item.get(key) if isinstance(item, dict) else None
    if not isinstance(value, kind):
        raise HerbariumError(f"{path}, {place}: there should be {_IN_WORDS[kind]} '{key}', as in SQuAD's files.")
    return value


def _pairs(
    tokenizer: "PreTrainedTokenizerFast",
    texts: Sequence[str],
    question_end: np.ndarray,
    answers: np.ndarray,
    max_tokens: int,
    lowercase: bool,
) -> tuple[Pairs, np.ndarray]:
    """Texts `{question} {context}` as tokens, and which of them scoring would refuse, (n,) of bool.

    question_end: (n,) characters of the question. answers: (n, n_answers, 2) first and last characters, end exclusive.
    """
    fillers = {"question": (np.zeros_like(question_end), question_end)}
    fillers |= {f"answer {k}": tuple(answers[:, k].T) for k in range(answers.shape[1])}
    if lowercase:
        texts, fillers = lowered(texts, fillers)
    encoded, n_second = encode_pairs(tokenizer, texts, fillers["question"][1])
    marks = checks.marks_of(tokenizer)
    # of a pair as of one text: what stands between the two is no ordinary token
    tokenize = partial(encode, tokenizer)
    is_refused, _ = checks.faults(encoded, texts, fillers, list(fillers), marks, max_tokens, tokenize)
    place = np.arange(len(encoded.token_ids)) - encoded.starts[encoded.sentence]
    places = np.zeros((len(texts), answers.shape[1], 2), dtype=np.int64)
    for k in range(answers.shape[1]):
        is_answer = encoded.tokens_of(*fillers[f"answer {k}"])
        at = encoded.sentence[is_answer]
        places[at[::-1], k, 0] = place[is_answer][::-1]  # the first one is written last
        places[at, k, 1] = place[is_answer]
    return Pairs(np.split(encoded.token_ids, encoded.starts[1:-1]), n_second, places), is_refused


# --- the training ---


def train(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerFast",
    question_set: Questions,
    answered: Pairs | None,
    settings: dict,
    seed: int,
    title: str,
) -> list[dict]:
    """Train a model, in place; returns one row per epoch: `epoch`, `steps`, `loss`, each of `TYPES`, and `squad`.

    The loss of a step is half the sum of `by_type` and, with answered questions, their `cross_entropy`; `loss` is its
    mean over steps. A type has the mean loss of its examples, `squad` that of its steps, each before the step; None if
    there are none. Epoch 0 is the model before training.
    model: on its device, in float32. answered: one in `SQUAD_SHARE` parts of each batch is drawn from these, again in
    each epoch. settings: `epochs`, `batch_size` and `learning_rate`, which falls linearly to 0.
    Raises HerbariumError when a loss is not finite.
    """
    import torch
    from transformers import get_scheduler

    torch.use_deterministic_algorithms(True, warn_only=True)
    before = probabilities(model, tokenizer, question_set.pairs, settings["batch_size"])
    known = [
        torch.from_numpy(array).to(model.device)
        for array in (question_set.types, adversarial_answers(before), before.astype(np.float32))
    ]
    n_questions, n_answered = shares(settings["batch_size"], answered is not None)
    per_epoch = -(-len(question_set.types) // n_questions)
    optimiser = torch.optim.AdamW(model.parameters(), settings["learning_rate"], eps=EPSILON, weight_decay=0.0)
    schedule = get_scheduler("linear", optimiser, 0, per_epoch * settings["epochs"])
    first = by_type(known[2], known[0], known[1], known[2])
    history = [{"epoch": 0, "steps": 0, "loss": None, **_means(question_set.types, first.cpu().numpy()), "squad": None}]
    with progress(per_epoch * settings["epochs"], "steps", title) as bar:
        for epoch in range(1, settings["epochs"] + 1):
            order = stream(seed, "order", epoch).permutation(len(question_set.types))
            drawn = _drawn(answered, n_answered * per_epoch, stream(seed, "squad", epoch))
            losses = np.zeros((per_epoch, len(TYPES) + 1))
            for step, rows in enumerate(np.split(order, range(n_questions, len(order), n_questions))):
                number = (epoch - 1) * per_epoch + step + 1
                torch.manual_seed(int(stream(seed, "dropout", number).integers(2**63)))
                model.train()
                at = torch.from_numpy(rows).to(model.device)
                p = _log_p(model, tokenizer, question_set.pairs.of(rows)).exp()
                sums = by_type(p, *(array[at] for array in known))
                (sums.sum() / 2).backward()
                losses[step, :-1] = sums.detach().cpu().numpy()
                if answered:
                    batch = answered.of(drawn[step * n_answered : (step + 1) * n_answered])
                    loss = cross_entropy(_log_p(model, tokenizer, batch))
                    (loss / 2).backward()
                    losses[step, -1] = float(loss.detach())
                torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
                optimiser.step()
                schedule.step()
                optimiser.zero_grad()
                bar.update()
            if not np.isfinite(losses).all():
                raise HerbariumError(f"{title}: the loss is not finite; use a smaller `learning_rate`.")
            row = {"epoch": epoch, "steps": number, "loss": float(losses.sum() / 2 / per_epoch)}
            row |= _means(question_set.types, losses[:, :-1].sum(axis=0))
            history.append(row | {"squad": float(losses[:, -1].mean()) if answered else None})
            log.info("%s: epoch %d, loss %.4f.", title, epoch, row["loss"])
    model.eval()
    return history


def shares(batch_size: int, with_answered: bool) -> tuple[int, int]:
    """The texts of a batch: those of `Questions`, and those whose answer is in their context."""
    n_answered = batch_size // SQUAD_SHARE if with_answered else 0
    return batch_size - n_answered, n_answered


def probabilities(
    model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerFast", pairs: Pairs, batch_size: int
) -> np.ndarray:
    """A model's probabilities, without dropout, of the beginnings and ends of answers: (n, n_answers, 2)."""
    import torch

    model.eval()
    values = np.empty(pairs.places.shape)
    order = np.argsort([len(ids) for ids in pairs.token_ids], kind="stable")
    with torch.inference_mode():
        for rows in np.split(order, range(batch_size, len(order), batch_size)):
            values[rows] = _log_p(model, tokenizer, pairs.of(rows)).double().exp().cpu().numpy()
    return values


def _log_p(model, tokenizer, pairs: Pairs) -> "torch.Tensor":
    """As `log_p`, from the model, for pairs that run together."""
    import torch

    lengths = np.array([len(ids) for ids in pairs.token_ids])
    is_text = np.arange(lengths.max()) < lengths[:, None]
    token_ids = np.full(is_text.shape, tokenizer.pad_token_id or 0)  # any token, as nothing attends to it
    token_ids[is_text] = np.concatenate(pairs.token_ids)
    token_ids, is_text, n_second, places = (
        torch.from_numpy(array).to(model.device) for array in (token_ids, is_text, pairs.n_second, pairs.places)
    )
    return log_p(span_logits(model, token_ids, n_second, is_text.to(token_ids.dtype)), is_text, places)


def _drawn(answered: Pairs | None, n: int, random: np.random.Generator) -> np.ndarray:
    """(n,) numbers of answered questions, each only once if there are enough; empty if there are none."""
    n_all = len(answered.token_ids) if answered else 0
    return random.choice(n_all, n, replace=n > n_all) if n else np.empty(0, dtype=int)


def _means(types: np.ndarray, sums: np.ndarray) -> dict[str, float | None]:
    """Type -> mean loss of its examples; None without any. sums: of `by_type`, over all examples."""
    n = np.bincount(types, minlength=len(TYPES))
    return {name: float(total / k) if k else None for name, total, k in zip(TYPES, sums, n, strict=True)}
