"""What a causal model gains from computing what sentences begin with once (`make bench`).

Sentences as three kinds of studies have them, in a Llama of SmolLM2's size with random weights: those of HERB, 112
descriptions of each region; three answers to each question of BBQ; and a decision about 40 persons with four answers.
Each is scored as it is planned, against the same sentences uncut. The tokens that run bound the gain.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from tests.benchmarks.shared import SHORT, Figure, say, size, timed
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel

from herbarium.models import prefixes
from herbarium.scoring import answering
from herbarium.scoring.planning import Block, Planner
from herbarium.training import planted

WORDS = [f"w{number}" for number in range(size(49_152, 500))]
BASE = {"hidden_size": 576, "num_hidden_layers": 30, "num_attention_heads": 9, "intermediate_size": 1536}
SMALL = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 64}
ROUNDS = size(3, 1)


class Study(NamedTuple):
    """quantity: what is asked. beginnings: how many there are. each: how many sentences have each. before, behind:
    words of a beginning, and of what follows it, from … to."""

    quantity: str
    beginnings: int
    each: int
    before: tuple[int, int]
    behind: tuple[int, int]


STUDIES = {
    "HERB": Study("mean_ll", size(8, 2), 112, (4, 8), (1, 4)),
    "BBQ": Study("ll_asked", size(40, 3), 3, (30, 60), (2, 6)),
    "decisions": Study("ll_asked", size(40, 3), 4, (60, 64), (1, 4)),
}


def sentences(study: Study) -> tuple[list[str], np.ndarray]:
    """Texts, and the characters, (n, 2), of what follows the beginning of each."""
    random = np.random.default_rng(0)

    def some(n: tuple[int, int]) -> str:
        return " ".join(random.choice(WORDS, random.integers(*n, endpoint=True)))

    beginnings = [some(study.before) for _ in range(study.beginnings)]
    texts = [(beginning, f"{beginning} {some(study.behind)}") for beginning in beginnings for _ in range(study.each)]
    return [text for _, text in texts], np.array([(len(beginning) + 1, len(text)) for beginning, text in texts])


def plan(tokenizer, study: Study, cuts: bool) -> Block:
    texts, behind = sentences(study)
    planner = Planner(tokenizer, 512, lowercase=False, start={"id": tokenizer.unk_token_id}, cuts=cuts)
    return planner.add(np.arange(len(texts)), texts, [study.quantity], {"asked": tuple(behind.T)}, {"asked": "asked"})


def n_tokens(planned: Block) -> int:
    """That run."""
    return sum(map(len, planned.inputs["token_ids"].to_pylist())) - sum(planned.inputs["n_prefix"].to_pylist())


def model(vocabulary: int) -> PreTrainedModel:
    sizes = SMALL if SHORT else BASE
    made = LlamaForCausalLM(LlamaConfig(vocab_size=vocabulary, num_key_value_heads=3, **sizes))
    placed = answering.place(made.eval(), "cpu")
    assert prefixes.able(placed)
    return placed


def main() -> None:
    tokenizer = planted.word_tokenizer(WORDS)
    llama = model(len(tokenizer))
    for name, study in STUDIES.items():
        cut, whole = (plan(tokenizer, study, cuts) for cuts in (True, False))
        runs = [partial(answering.answer_all, llama, "cpu", planned, name) for planned in (cut, whole)]
        change = np.abs(np.subtract(*(run() for run in runs))).max()  # which also warms up
        seconds = [min(timed(run)[0] for _ in range(ROUNDS)) for run in runs]
        ours, theirs = seconds
        tokens = n_tokens(cut) / n_tokens(whole)
        say(
            f"{name}: {theirs:.2f} s uncut, {ours:.2f} s cut, {theirs / ours:.2f} x as fast with "
            f"{1 / tokens:.2f} x as few tokens; log-probabilities change by {change:.1e} at most",
            Figure(name, ours / theirs, peer="uncut"),
            Figure(f"{name}, tokens", tokens, peer="uncut"),
            Figure(f"{name}, change", change, "log-probability"),
        )


if __name__ == "__main__":
    main()
