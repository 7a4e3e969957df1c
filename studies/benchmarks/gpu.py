"""What a GPU does with Herbarium's passes, in one call of at most ten minutes (`make bench`, or by itself).

    PYTHONPATH=workflow/scripts:. python studies/benchmarks/gpu.py

Models of the sizes of BERT-base, Llama 3.2 1B and Llama 3.1 8B, with random weights that are made on the device:

- bits: the share of values with the same bits in a second run, alone, in another order, in shards, and in passes of
  another size, for which nothing is promised;
- the largest change against float32 on the CPU, over 1e-5 nat a token; and that of bfloat16 on the device over what
  `precision` accepts, as `tune_scoring` decides;
- time and memory over the floor: bare forward passes of the same inputs in the best batch size, with the head where it
  is asked for;
- causal models: time of inputs that are cut over the same uncut (prefixes.py).

A part that would go beyond the ten minutes, or beyond the memory of the GPU, is left out, and a line says so. Without a
GPU only the short form runs, on the CPU.
"""

import copy
import resource
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from studies.benchmarks import prefixes, shared
from studies.benchmarks.scoring import floor
from studies.benchmarks.shared import SHORT, Figure, size, timed
from transformers import BertConfig, BertForMaskedLM, LlamaConfig, LlamaForCausalLM, PretrainedConfig, PreTrainedModel

from herbarium.models import devices, loading
from herbarium.models.prefixes import able
from herbarium.scoring import answering, planning, tuning
from herbarium.scoring.section import Precision
from herbarium.training import planted

LIMIT = 570  # seconds
EXACT = 1e-5  # nat a token
FLOOR_TOKENS, MAX_ROUNDS = size((1_024, 4_096, 16_384), (512,)), size(5, 1)
N_BITS, N_ALONE, N_SPEED = size(600, 12), size(20, 3), size(4_000, 12)
VOCABULARY = size(128_256, 1_000)
LAYERS_1B = {"hidden_size": 2_048, "num_hidden_layers": 16, "intermediate_size": 8_192, "tie_word_embeddings": True}
LAYERS_8B = {"hidden_size": 4_096, "num_hidden_layers": 32, "intermediate_size": 14_336}
FLOAT32, BFLOAT16 = torch.float32, torch.bfloat16


class Family(NamedTuple):
    """tokenizer: of one word a token. start: as `planning.Planner` takes it."""

    make: type[PreTrainedModel]
    config: PretrainedConfig
    tokenizer: object
    start: dict | None
    quantity: str


class Sized(NamedTuple):
    """A model of a size, and what is tried of it."""

    family: Family
    exact: bool  # in float32, too, on the device and beside the CPU
    seconds: int  # that its parts may take, more or less


def llama(layers: dict) -> Family:
    heads = size({"num_attention_heads": 32, "num_key_value_heads": 8}, {})
    config = LlamaConfig(vocab_size=VOCABULARY, **heads, **(prefixes.SMALL if SHORT else layers))
    return Family(LlamaForCausalLM, config, prefixes.word_tokenizer(), {"id": None}, "ll")


def bert() -> Family:
    tokenizer = planted.word_tokenizer(prefixes.WORDS[:30_000])
    return Family(BertForMaskedLM, BertConfig(vocab_size=len(tokenizer), **shared.BASE), tokenizer, None, "aul")


def texts(n: int) -> list[str]:
    random = np.random.default_rng(1)
    return [" ".join(random.choice(prefixes.WORDS[:30_000], random.integers(4, 24))) for _ in range(n)]


def made(family: Family, dtype: torch.dtype, device: str) -> PreTrainedModel:
    torch.manual_seed(0)
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        with torch.device(device):
            return family.make(family.config).eval()
    finally:
        torch.set_default_dtype(before)


def plan(family: Family, some: list[str]) -> planning.Block:
    planner = planning.Planner(family.tokenizer, 512, lowercase=False, start=family.start)
    return planner.add(np.arange(len(some)), some, [family.quantity])


def values(model: PreTrainedModel, family: Family, device: str, some: list[str], tokens: int | None = None):
    """(n_texts,) mean log-probabilities per token. tokens: of a pass."""
    planned = plan(family, some)
    answers = np.empty(len(planned.requests))
    number = planned.requests["request"].to_numpy()
    answers[number] = answering.answer(model, device, planned.inputs, planned.requests, "bench", tokens)
    return tuning.sentence_means(answers, planned)


def bits(name: str, model: PreTrainedModel, family: Family, device: str) -> None:
    some, order = texts(N_BITS), np.random.default_rng(2).permutation(N_BITS)
    run = partial(values, model, family, device)
    once, half = run(some), answering.tokens_a_pass(model, device) // 2
    others = {
        "a second run": run(some),
        "alone": np.concatenate([run([text]) for text in some[:N_ALONE]]),
        "another order": run([some[row] for row in order])[np.argsort(order)],
        "shards": np.concatenate([run([some[row] for row in part]) for part in np.array_split(np.arange(N_BITS), 3)]),
        "half the tokens in a pass": run(some, half),
    }
    for what, other in others.items():
        share, change = np.mean(other == once[: len(other)]), np.abs(other - once[: len(other)]).max()
        say(
            device,
            f"{name}, {what}: {100 * share:.1f} % of values have the same bits; they change by {change:.1e} at most",
            Figure(f"{name}, {what}, same bits", share, peer="all values"),
        )


def exactness(name: str, model: PreTrainedModel, family: Family, device: str) -> None:
    """float32 on the device and on the CPU, and bfloat16 on the device. model: not yet placed."""
    some = texts(N_ALONE)
    beside = {where: answering.place(copy.deepcopy(model), where) for where in {device, "cpu"}}
    change = np.abs(np.subtract(*(values(beside[where], family, where, some) for where in (device, "cpu")))).max()
    told = f"{name}: float32 changes by {change:.1e} against the CPU"
    say(device, told, Figure(f"{name}, change of float32", change / EXACT, peer="1e-5 nat from the CPU"))
    accepted = Precision().model_dump()

    def load(dtype: str) -> PreTrainedModel:
        return answering.place(copy.deepcopy(model).to(getattr(torch, dtype)), device)

    formats = tuning.means(load, device, plan(family, texts(N_BITS)), name)
    _, changes = tuning.choose_dtype(formats, "bfloat16", device, {"max": np.inf, "mean": np.inf}, name)
    change = changes["bfloat16"]
    say(
        device,
        f"{name}: bfloat16 {'is' if tuning.is_accepted(change, accepted) else 'is not'} accepted; it changes by "
        f"{change['max']:.1e} at most, {change['mean']:.1e} in the mean",
        *(
            Figure(f"{name}, {which} change of bfloat16", change[which] / accepted[which], peer="what is accepted")
            for which in ("max", "mean")
        ),
    )


def best(run: Callable[[], object], seconds: float) -> float:
    """The fastest of the rounds that fit into so many seconds, after one that warms up."""
    warm, _ = timed(run)
    rounds = min(MAX_ROUNDS, max(1, int(seconds / warm)))
    return min(timed(run)[0] for _ in range(rounds))


def peak(run: Callable[[], object], device: str) -> float:
    """Bytes that were allocated at most; on the CPU, by this process until now."""
    if device == devices.CUDA:
        torch.cuda.reset_peak_memory_stats()
        run()
        return torch.cuda.max_memory_allocated()
    run()
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@torch.inference_mode()
def speed(name: str, model: PreTrainedModel, family: Family, device: str, seconds: float) -> None:
    planned = plan(family, texts(N_SPEED))
    n_tokens = sum(map(len, planned.inputs["token_ids"].to_pylist()))

    def ours() -> np.ndarray:
        return answering.answer_all(model, device, planned, "bench")

    floors = {tokens: partial(floor, model, planned, tokens, device) for tokens in FLOOR_TOKENS}
    share = seconds / (1 + len(floors))
    taken, floor_taken = best(ours, share), {tokens: best(run, share) for tokens, run in floors.items()}
    fastest = min(floor_taken, key=floor_taken.get)
    memory, floor_memory = peak(ours, device), peak(floors[fastest], device)
    say(
        device,
        f"{name}: {n_tokens / taken:,.0f} tokens a second, bare passes of {fastest} tokens "
        f"{n_tokens / floor_taken[fastest]:,.0f}; memory {memory / 2**30:.2f} GB, {floor_memory / 2**30:.2f} GB",
        Figure(name, n_tokens / taken, "tokens/s"),
        Figure(name, taken / floor_taken[fastest], peer="floor"),
        Figure(f"{name}, memory", memory / floor_memory, peer="floor"),
    )


def sharing(name: str, model: PreTrainedModel, family: Family, device: str, seconds: float) -> None:
    if not able(model):
        say(device, f"{name}: it cannot be cut on this device")
        return
    for study_name, study in prefixes.STUDIES.items():
        runs = [partial(prefixes.scores, model, device, family.tokenizer, study, cuts) for cuts in (True, False)]
        cut, whole = (best(run, seconds / 6) for run in runs)
        change = np.abs(np.subtract(*(run() for run in runs))).max()
        say(
            device,
            f"{name}, {study_name}: {whole:.2f} s uncut, {cut:.2f} s cut; log-likelihoods change by {change:.1e}",
            Figure(f"{name}, {study_name}", cut / whole, peer="uncut"),
        )


def say(device: str, text: str, *figures: Figure) -> None:
    shared.say(text, *figures, device=device)


def measure(name: str, sized: Sized, device: str) -> None:
    family = sized.family
    for dtype in (FLOAT32, BFLOAT16) if sized.exact else (BFLOAT16,):
        called = f"{name} in {str(dtype).removeprefix('torch.')}"
        model = made(family, dtype, device)
        if dtype is FLOAT32:
            exactness(name, model, family, device)
        answering.place(model, device)
        bits(called, model, family, device)
        speed(called, model, family, device, sized.seconds / 4)
        if loading.is_causal(model):
            sharing(called, model, family, device, sized.seconds / 4)
        del model
        if device == devices.CUDA:
            torch.cuda.empty_cache()


def main() -> None:
    start = time.monotonic()
    if not (SHORT or torch.cuda.is_available()):
        print("There is no GPU: nothing to measure.")
        return
    device = devices.available()
    sizes = {
        "BERT-base": Sized(bert(), True, 100),
        "Llama 1B": Sized(llama(LAYERS_1B), True, 200),
        "Llama 8B": Sized(llama(LAYERS_8B), False, 200),
    }
    for name, sized in sizes.items():
        if time.monotonic() - start + sized.seconds > LIMIT:
            say(device, f"{name}: left out, so that all ends within {LIMIT} s")
            continue
        try:
            measure(name, sized, device)
        except torch.OutOfMemoryError:
            say(device, f"{name}: left out, as it does not fit into the memory of the device")
    if not SHORT:
        shared.main()


if __name__ == "__main__":
    main()
