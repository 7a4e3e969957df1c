"""Toxic continual training (Li et al. 2022, Section 4.7): a masked model is trained further on the sentences that it
finds most likely itself, one epoch at a time.

The optimiser keeps nothing from step to step and each epoch has its own random stream, so an epoch only passes on the
weights: epochs in separate processes are the same training as all of them in one.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.console import progress
from herbarium.core.errors import HerbariumError
from herbarium.core.store import schema
from herbarium.scoring import planning
from herbarium.scoring.quantities import ASKED, SLOT

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

# The sentences to train on: `rank` 1 has the highest f among those of its description. Spans are characters of `text`,
# end exclusive.
SENTENCES = schema(
    "toxic_sentences",
    ("sentence_id", pa.int64()),
    ("text", pa.string()),
    ("region_start", pa.int32()),
    ("region_end", pa.int32()),
    ("topic", pa.string()),
    ("description", pa.string()),
    ("f", pa.float64()),
    ("rank", pa.int32()),
)
_NO_LABEL = -100  # transformers' label for "no loss here"


def likeliest(stimuli: pd.DataFrame, scores: pd.DataFrame, dimensions: pd.DataFrame, n: int) -> pd.DataFrame:
    """The n sentences with the highest f(S) (Eq. 1) for each description, as a table with the schema "toxic_sentences".

    stimuli, scores: tables "herb_stimuli" and "scores". dimensions: columns `topic`, `description`, `frame`, one row
    per dimension of HERB: a word in two topics counts as two, so its sentences occur twice, as in the 2,240 sentences
    of the paper. Ties are broken by `sentence_id`. A description with fewer scored sentences gives all that it has.
    """
    f = scores[["sentence_id", "value"]].rename(columns={"value": "f"}).dropna()
    scored = stimuli[stimuli["frame"].isin(dimensions["frame"])].merge(f, on="sentence_id", validate="one_to_one")
    ranked = scored.sort_values(["f", "sentence_id"], ascending=[False, True])
    ranked["rank"] = 1 + ranked.groupby("frame").cumcount()
    return dimensions.merge(ranked[ranked["rank"] <= n], on="frame")


@dataclass(frozen=True)
class Example:
    """A sentence as the model sees it, and the true token at each position where it must predict one."""

    token_ids: np.ndarray  # (length,)
    labels: np.ndarray  # (length,)


def examples(
    tokenizer: "PreTrainedTokenizerFast", max_tokens: int, lowercase: bool, sentences: pa.Table
) -> list[Example]:
    """The sentences with every token of the region masked, and these tokens as labels.

    max_tokens, lowercase: from the model's record. sentences: table "toxic_sentences". The quantity `slot` masks the
    same tokens, so a token belongs to the region here if it does there.
    """
    plan = planning.Planner(tokenizer, max_tokens, lowercase).add(
        sentences["sentence_id"].to_numpy(),
        sentences["text"].to_pylist(),
        [SLOT],
        planning.spans(sentences, ["region"]),
        {"region": ASKED},
    )
    token_ids = dict(zip(plan.inputs["input"].to_pylist(), plan.inputs["token_ids"].to_pylist(), strict=True))
    requests = plan.requests.sort_by("request")
    owner, position, target = (requests[name].to_numpy() for name in ("input", "position", "target"))
    made = []
    for first, n in zip(*(plan.sentences[name].to_pylist() for name in ("first_request", "n_requests")), strict=True):
        batch = slice(first, first + n)
        shown = np.array(token_ids[owner[first]])
        labels = np.full(len(shown), _NO_LABEL)
        labels[position[batch]] = target[batch]
        made.append(Example(shown, labels))
    return made


def train_epoch(
    model: "PreTrainedModel",
    examples: list[Example],
    learning_rate: float,
    batch_size: int,
    pad_id: int,
    random: np.random.Generator,
    title: str,
) -> float:
    """Train the model for one epoch, in place; returns the mean loss of its steps, each before the step.

    Plain stochastic gradient descent with a constant learning rate; the loss of a step is the mean cross-entropy of its
    labels; dropout is that of the model's configuration.
    model: in float32, on any device. batch_size: sentences per step. pad_id: pads the shorter sentences of a step; no
    other token sees it. random: the order of the sentences, and dropout. Raises HerbariumError when the loss is no
    longer finite.
    """
    import torch
    from torch.nn.utils.rnn import pad_sequence

    torch.manual_seed(int(random.integers(2**63)))
    steps = np.split(random.permutation(len(examples)), range(batch_size, len(examples), batch_size))
    optimiser = torch.optim.SGD(model.parameters(), learning_rate)
    losses = []
    model.train()

    def side_by_side(rows: list[np.ndarray], filling: int) -> torch.Tensor:
        return pad_sequence([torch.from_numpy(row) for row in rows], True, filling).to(model.device)

    with progress(len(steps), "steps", title) as bar:
        for step in steps:
            chosen = [examples[row] for row in step]
            loss = model(
                input_ids=side_by_side([example.token_ids for example in chosen], pad_id),
                attention_mask=side_by_side([np.ones_like(example.token_ids) for example in chosen], 0),
                labels=side_by_side([example.labels for example in chosen], _NO_LABEL),
            ).loss
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
            bar.update()
    model.eval()
    if not np.isfinite(losses).all():
        raise HerbariumError(f"{title}: the loss is no longer finite; use a smaller learning_rate.")
    return float(np.mean(losses))
