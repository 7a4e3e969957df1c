"""HERB of a perfect model of a planted text, and how much of the text a model learned."""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core import resources
from herbarium.core.store import schema
from herbarium.metrics.herb import crossed, planted, score
from herbarium.metrics.herb.selection import select
from herbarium.metrics.herb.stimuli import PAPER, Frame, frames_by_description
from herbarium.models.kinds import Kind

Sentence = tuple[str, ...]  # its words
SIZE_FREE = "C_w_size_free"
_DECIMALS = 12  # a 0 with rounding errors
# `expected`: the number of a perfect model. `learned`: slope of the model's scores on those; null without a bias.
EXPECTED = schema(
    "herb_expected",
    *((name, pa.string()) for name in ("model", "metric", "variant", "group")),
    ("expected", pa.float64()),
    ("learned", pa.float64()),
    nullable=("expected", "learned"),
)


def expected(
    model: str,
    regions: pd.DataFrame,
    topics: Mapping[str, Sequence[str]],
    likelihoods: Mapping[str, pa.Table],
    wordings: Mapping[str, Sequence[Frame]],
    strength: float,
    seed: int,
    control: pd.DataFrame,
    kind: Kind,
) -> pd.DataFrame:
    """Rows of the schema "herb_expected": for the root and the regions below it, the crossed distance and size-free
    C_w.

    likelihoods: template -> rows of "likelihoods" of the model. The other arguments are those of
    `likelihoods_of_perfect`, which also defines a perfect model.
    """
    perfect = likelihoods_of_perfect(regions, wordings, topics, strength, seed, control, kind)
    perfect = {name: _per_token(table, likelihoods[name]) for name, table in perfect.items()}
    ours, theirs = (crossed.study(regions, topics, scores) for scores in (likelihoods, perfect))
    both = ours.names.isin(theirs.names).to_numpy()
    known = theirs.words.isin(ours.words)
    x = theirs.y[:, theirs.names.isin(ours.names).to_numpy()][:, :, known]
    learned = float((x * ours.y[:, both]).sum() / (x**2).sum()) if strength and x.any() else None
    numbers = crossed.measure(model, regions, topics, perfect, level=0.95).numbers
    numbers = numbers[numbers["variant"] == crossed.VARIANT]
    tables = [numbers[["metric", "variant", "group", "estimate"]].rename(columns={"estimate": "expected"})]
    selected = select(regions, topics, perfect[PAPER])
    scores = score.herb(selected.f, selected.f_name, selected.parent)
    size_free = pd.DataFrame({"group": selected.regions["region"], "expected": scores.C_w_size_free})
    shown = score.depths(selected.parent) <= 1
    tables.append(size_free[shown].assign(metric="herb", variant=SIZE_FREE))
    rows = pd.concat(tables, ignore_index=True).assign(model=model, learned=learned)
    rows["expected"] = rows["expected"].round(_DECIMALS)
    return rows.astype({"learned": float})[EXPECTED.fields.names]


def likelihoods_of_perfect(
    regions: pd.DataFrame,
    wordings: Mapping[str, Sequence[Frame]],
    topics: Mapping[str, Sequence[str]],
    strength: float,
    seed: int,
    control: pd.DataFrame | None = None,
    kind: Kind = Kind.masked,
) -> dict[str, pa.Table]:
    """f(S) of every region and description under a perfect model of the text: wording -> rows as of "likelihoods".

    regions, strength, seed, control: as for `planted.region_sentences`. wordings: those of the text, with a frame for
    each description of `topics` in turn. f of bare names is 0: no weight of Eq. 9 uses it.

    A perfect model knows how often each word occurs in a position given the words around it, and returns `perfect`; a
    causal one gives a sentence its share of the text.
    """
    descriptions = [word for words in topics.values() for word in words]
    once = list(dict.fromkeys(descriptions))
    everywhere, p = planted.probabilities(regions, once, strength, seed, control)
    of_description = frames_by_description(wordings, topics)
    is_told = everywhere["parent"].notna().to_numpy()
    weighted_sentences = [
        (_tokens(name, frame), weight / len(of_description[word]))
        for name, row in zip(everywhere["name"][is_told], p[is_told], strict=True)
        for word, weight in zip(once, row, strict=True)
        for frame in of_description[word]
    ]
    log_p = (shares if kind is Kind.causal else perfect)(weighted_sentences)
    scored = regions[regions["parent"].notna()]
    tables = {}
    for wording, frames in wordings.items():
        sentences = [[_tokens(name, frame) for frame in frames] for name in scored["name"]]
        tables[wording] = pa.table(
            {
                "wording": [wording] * len(scored),
                "region": scored["region"].tolist(),
                "f": [[log_p[sentence] / len(sentence) for sentence in row] for row in sentences],
                "n_tokens": pa.array([[len(sentence) for sentence in row] for row in sentences], pa.list_(pa.int32())),
                "f_name": np.zeros(len(scored)),
                "note": pa.nulls(len(scored), pa.string()),
            }
        )
    return tables


def perfect(told: Sequence[tuple[Sentence, float]]) -> dict[Sentence, float]:
    """The natural log-probability that a perfect model of sentences (words, counts) gives all words of each.

    Of a word w: (¼ + ¾ Q) P / (¼ P + ¾ Q), P its probability given the other words, Q its frequency in that position
    among sentences of that length, as the testbed's training yields (docs/testbed.md).
    """
    total = _total(told)
    among, around, n = defaultdict(float), defaultdict(float), defaultdict(float)
    for sentence, weight in total.items():
        n[len(sentence)] += weight
        for place, word in enumerate(sentence):
            among[len(sentence), place, word] += weight
            around[place, sentence[:place], sentence[place + 1 :]] += weight
    scores = {}
    for sentence, weight in total.items():
        length, log_p = len(sentence), 0.0
        for place, word in enumerate(sentence):
            q = among[length, place, word] / n[length]
            p = weight / around[place, sentence[:place], sentence[place + 1 :]]
            log_p += math.log((0.25 + 0.75 * q) * p / (0.25 * p + 0.75 * q))
        scores[sentence] = log_p
    return scores


def shares(told: Sequence[tuple[Sentence, float]]) -> dict[Sentence, float]:
    """The natural log-likelihood of each sentence (words, counts) in a perfect causal model of them: its share.

    The probabilities of its words, each given those before it, multiply to the share if no sentence begins another.
    """
    total = _total(told)
    n = sum(total.values())
    return {sentence: math.log(weight / n) for sentence, weight in total.items()}


def _total(told: Sequence[tuple[Sentence, float]]) -> dict[Sentence, float]:
    total: dict[Sentence, float] = defaultdict(float)
    for sentence, weight in told:
        total[sentence] += weight
    return total


def _per_token(perfect: pa.Table, likelihoods: pa.Table) -> pa.Table:
    """f of a perfect model as means over a model's tokens, of which there are more than words. likelihoods: of the
    model, with the same frames."""
    tokens_of = dict(zip(likelihoods["region"].to_pylist(), likelihoods["n_tokens"].to_pylist(), strict=True))
    n_words = np.array(perfect["n_tokens"].to_pylist())
    n_tokens = np.array([tokens_of[region] for region in perfect["region"].to_pylist()])
    n_tokens = np.where(n_tokens > 0, n_tokens, n_words)  # 0: the sentence was refused
    f = np.array(perfect["f"].to_pylist()) * n_words / n_tokens
    rescaled = {"f": pa.array(f.tolist()), "n_tokens": pa.array(n_tokens.tolist(), pa.list_(pa.int32()))}
    return pa.table({name: rescaled.get(name, perfect[name]) for name in perfect.column_names})


def _tokens(name: str, frame: Frame) -> Sentence:
    """The tokens of a sentence, each a word or a mark, as in the testbed's tokenizer."""
    return tuple(re.findall(r"\w+|[^\w\s]", resources.fill(frame[0], region=name, description=frame[1])[0]))
