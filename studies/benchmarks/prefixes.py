"""What a causal model gains from computing what sentences begin with once (`make bench`).

Sentences as three kinds of studies have them, in a Llama of SmolLM2's size with random weights: those of HERB, 112
descriptions of a region; three answers to each question of BBQ; and four spellings of an answer about each of 135
persons, as Discrim-Eval has them in one decision. Each is planned and scored as it is in a study, beside the same
sentences uncut, and beside other software where `make oracles` has installed it: lm-evaluation-harness, minicons, and
transformers with padded batches, each in the batch size that is fastest for some of the sentences. (The harness can
choose a batch size, "auto", only by what fits into the memory of a GPU.) The tokens that run bound the gain over uncut
sentences.

All give the same log-likelihoods. Seconds are those of all cores together, which other work on the machine changes
least; the fastest of the rounds counts.
"""

import importlib.util
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from studies.benchmarks.shared import SHORT, Figure, say, size
from tests import peers
from tokenizers.processors import TemplateProcessing
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel, PreTrainedTokenizerFast

from herbarium.models import loading, prefixes
from herbarium.scoring import answering, quantities
from herbarium.scoring.planning import Block, Planner
from herbarium.training import planted

WORDS = [f"w{number}" for number in range(size(49_152, 500))]
BASE = {"hidden_size": 576, "num_hidden_layers": 30, "num_attention_heads": 9, "intermediate_size": 1536}
SMALL = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 64}
ROUNDS = size(2, 1)
BATCHES, N_TRIED = size((1, 8, 32), (2,)), 48
PEERS = {
    "lm-evaluation-harness": ("lm_eval", peers.harness),
    "minicons": ("minicons", partial(peers.minicons, start=False)),
    "padded batches of transformers": ("transformers", peers.padded),
}
AGREE = 1e-3  # nat, of a sum of log-probabilities


class Study(NamedTuple):
    """quantity: what is asked. shared: words that all beginnings share. beginnings: how many there are. each: how many
    sentences have each. before, behind: further words of a beginning, and of what follows it, from … to."""

    quantity: str
    shared: int
    beginnings: int
    each: int
    before: tuple[int, int]
    behind: tuple[int, int]


STUDIES = {
    "HERB": Study("ll", 0, 1, size(112, 12), (4, 8), (1, 4)),
    "BBQ": Study("ll_asked", 0, size(40, 3), 3, (30, 60), (2, 6)),
    "Discrim-Eval": Study("ll_asked", 30, size(135, 3), 4, (30, 34), (1, 1)),
}


def sentences(study: Study) -> list[tuple[str, str]]:
    """The beginning of each, and what follows it."""
    random = np.random.default_rng(0)

    def some(n: tuple[int, int]) -> str:
        return " ".join(random.choice(WORDS, random.integers(*n, endpoint=True)))

    shared = some((study.shared, study.shared))
    beginnings = [f"{shared} {some(study.before)}".strip() for _ in range(study.beginnings)]
    return [(beginning, f" {some(study.behind)}") for beginning in beginnings for _ in range(study.each)]


def word_tokenizer() -> PreTrainedTokenizerFast:
    """A token a word; it puts one before every text, as Llama's do."""
    made = planted.word_tokenizer(WORDS)
    first = [("[CLS]", made.cls_token_id)]
    made.backend_tokenizer.post_processor = TemplateProcessing(single="[CLS] $A", special_tokens=first)
    names = {"bos_token": "[CLS]", "eos_token": "[SEP]", "pad_token": "[PAD]", "unk_token": "[UNK]"}
    return PreTrainedTokenizerFast(tokenizer_object=made.backend_tokenizer, **names)


def plan(tokenizer: PreTrainedTokenizerFast, study: Study, cuts: bool) -> Block:
    pairs = sentences(study)
    texts, behind = ["".join(pair) for pair in pairs], np.array([len(beginning) + 1 for beginning, _ in pairs])
    planner = Planner(tokenizer, 512, lowercase=False, start={"id": None}, cuts=cuts)
    asked = behind, np.array([*map(len, texts)])
    return planner.add(np.arange(len(texts)), texts, [study.quantity], {"asked": asked}, {"asked": "asked"})


def scores(model: PreTrainedModel, device: str, tokenizer: PreTrainedTokenizerFast, study: Study, cuts: bool):
    """(n_sentences,) log-likelihoods, as a study has them."""
    planned = plan(tokenizer, study, cuts)
    answers = answering.answer_all(model, device, planned, "bench")
    return quantities.gather(answers, planned.sentences)["value"].to_numpy()


def for_peers(study: Study) -> list[tuple[str, str]]:
    """What is asked, as `peers.Score` takes it."""
    pairs = sentences(study)
    return pairs if study.quantity == "ll_asked" else [("", "".join(pair)) for pair in pairs]


def n_tokens(planned: Block) -> int:
    """That run."""
    return sum(map(len, planned.inputs["token_ids"].to_pylist())) - sum(planned.inputs["n_prefix"].to_pylist())


def make(folder: Path) -> PreTrainedTokenizerFast:
    """Write the model; gives its tokenizer."""
    tokenizer = word_tokenizer()
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = LlamaConfig(vocab_size=len(tokenizer), num_key_value_heads=3, **(SMALL if SHORT else BASE))
    LlamaForCausalLM(config).save_pretrained(folder)
    return tokenizer


def cpu_seconds(run: Callable[[], np.ndarray], expected: np.ndarray) -> float:
    """Of a call that gives these log-likelihoods."""
    start = time.process_time()
    values = run()
    taken = time.process_time() - start
    np.testing.assert_allclose(values, expected, atol=AGREE)
    return taken


@torch.inference_mode()
def fastest_of(peer: str, folder: Path, pairs: list[tuple[str, str]], expected: np.ndarray) -> tuple[float, int] | None:
    """Seconds of other software, and with how many sentences in a batch; None if it is not installed."""
    package, score_by = PEERS[peer]
    if importlib.util.find_spec(package) is None:
        return None
    some = np.random.default_rng(0).permutation(len(pairs))[:N_TRIED]
    tried = {}
    for batch in BATCHES:
        score = score_by(folder, batch)
        run = partial(score, [pairs[row] for row in some])
        cpu_seconds(run, expected[some])  # warms up
        tried[cpu_seconds(run, expected[some])] = batch, score
    batch, score = tried[min(tried)]
    return min(cpu_seconds(partial(score, pairs), expected) for _ in range(ROUNDS)), batch


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tokenizer = make(folder)
        llama = answering.place(loading.load(folder, "causal", "float32", "bench"), "cpu")
        assert prefixes.able(llama)
        for name, study in STUDIES.items():
            cut, whole = (partial(scores, llama, "cpu", tokenizer, study, cuts) for cuts in (True, False))
            values = cut()  # which also warms up
            change = np.abs(values - whole()).max()
            ours, uncut = (min(cpu_seconds(run, values) for _ in range(ROUNDS)) for run in (cut, whole))
            tokens = n_tokens(plan(tokenizer, study, True)) / n_tokens(plan(tokenizer, study, False))
            say(
                f"{name}: {uncut:.2f} s uncut, {ours:.2f} s cut, {uncut / ours:.2f} x as fast with "
                f"{1 / tokens:.2f} x as few tokens; log-likelihoods change by {change:.1e} at most",
                Figure(name, ours, "s"),
                Figure(name, ours / uncut, peer="uncut"),
                Figure(f"{name}, tokens", tokens, peer="uncut"),
                Figure(f"{name}, change", change, "log-likelihood"),
            )
            for peer in PEERS:
                if (fastest := fastest_of(peer, folder, for_peers(study), values)) is None:
                    say(f"{name}: {peer} is not installed; `make oracles` does it")
                    continue
                theirs, batch = fastest
                say(
                    f"{name}: {peer} {theirs:.2f} s in batches of {batch}, Herbarium {theirs / ours:.2f} x as fast",
                    Figure(name, ours / theirs, peer=peer),
                )


if __name__ == "__main__":
    main()
