"""Scoring against its floor and against published practice (`make bench`).

A BERT of base size with random weights and a vocabulary of real size, on the CPU. Three pieces of work:

(a) HERB: f(S) of 20 cities x 112 descriptions;
(b) Categorical Bias: log-probability and prior of 30 countries, 2 templates x 30 attributes;
(c) association and pseudo-perplexity of 160 sentences of three templates.

The *floor* is the bare forward passes of the same unique inputs in the best batch size, with the head where it is asked
for: as PyTorch runs them, and with the same packed products as Herbarium, whichever is faster. *Published practice* is
what the released code of the papers does, in plain form and float32: (a) one padded batch of a city's 112 sentences
with hidden states, attentions and the whole log-softmax; (b), (c) one masked sentence per call, for the
pseudo-perplexity the masked copies of one sentence per call, with the whole head. Everything is timed in turn in one
run; the fastest of the rounds counts.
"""

import tempfile
import time
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

from herbarium.core import resources
from herbarium.metrics.herb import stimuli
from herbarium.metrics.mixed_effects import stimuli as mixed_effects
from herbarium.models.loading import load, load_tokenizer
from herbarium.regions.hierarchy import geonames
from herbarium.scoring import answering, planning, tuning

ROUNDS = 2
FLOOR_TOKENS = (256, 512, 1_024, 4_096)
VOCABULARY = 30_522
CONTINENTS = ["AF", "AS", "EU", "NA", "OC", "SA"]


def make_model(folder: Path, texts: Iterable[str]) -> None:
    split = pre_tokenizers.BertPreTokenizer()
    words = sorted({word for text in texts for word, _ in split.pre_tokenize_str(text)})
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    vocabulary += [f"unused{i}" for i in range(VOCABULARY - len(vocabulary))]
    tokenizer = Tokenizer(models.WordPiece({word: i for i, word in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(lowercase=False), split
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    BertTokenizerFast(tokenizer_object=tokenizer, do_lower_case=False).save_pretrained(folder)
    torch.manual_seed(0)
    BertForMaskedLM(BertConfig(vocab_size=VOCABULARY)).save_pretrained(folder)


def filled(template: str, **fillers: str) -> tuple[str, dict[str, tuple[int, int]]]:
    return resources.fill(template, **fillers)


def plan(tokenizer, texts: list[str], spans: list[dict], quantities: list[str]) -> planning.Block:
    """The unique inputs of several quantities of the same sentences, and the requests on them."""
    planner = planning.Planner(tokenizer, 512, lowercase=False)
    slots = {slot: tuple(np.array([span[slot] for span in spans]).T) for slot in spans[0]}
    roles = {slot: slot for slot in slots if slot in ("asked", "condition")}
    return planner.add(np.arange(len(texts)), texts, quantities, slots, roles)


def floor(model: BertForMaskedLM, work: planning.Block, tokens: int) -> None:
    """Bare forward passes of whole batches of one length, logits where they are asked for, and nothing else."""
    places: dict[int, set[int]] = {}
    for number, position in zip(work.requests["input"].to_pylist(), work.requests["position"].to_pylist(), strict=True):
        places.setdefault(number, set()).add(position)
    by_length: dict[int, list[tuple[int, list[int]]]] = {}
    for number, ids in zip(work.inputs["input"].to_pylist(), work.inputs["token_ids"].to_pylist(), strict=True):
        by_length.setdefault(len(ids), []).append((number, ids))
    for length, group in by_length.items():
        size = max(1, tokens // length)
        for start in range(0, len(group), size):
            batch = group[start : start + size]
            at = [(row, position) for row, (number, _) in enumerate(batch) for position in places[number]]
            states = model.bert(torch.tensor([ids for _, ids in batch])).last_hidden_state
            model.cls(states[tuple(torch.tensor(at).T)])


def one_a_call(model: BertForMaskedLM, batches: Iterable[list[list[int]]]) -> None:
    """The whole head and log-softmax over every position, a batch a call."""
    for ids in batches:
        torch.log_softmax(model(torch.tensor(ids)).logits, dim=-1)


def masked(ids: list[int], tokens: Iterable[int], mask: int) -> list[int]:
    hidden = set(tokens)
    return [mask if t in hidden else token for t, token in enumerate(ids)]


def tokens_by_slot(encoding: dict, span: dict[str, tuple[int, int]]) -> dict[str, list[int]]:
    offsets = list(enumerate(encoding["offset_mapping"]))
    return {slot: [t for t, (a, b) in offsets if a < end and b > start] for slot, (start, end) in span.items()}


def herb_work(tokenizer):
    topics = sorted(Path("resources/herb/descriptions").glob("*.txt"))
    descriptions = [word for topic in topics for word in resources.read_words(topic)]
    cities = geonames(CONTINENTS, "all", "all", 5_000_000, 1)
    names = cities.loc[cities["level"] == "city", "name"].tolist()[:20]
    template = stimuli.read_template("resources/herb/templates/published.txt")
    texts = [filled(template, region=name, description=word)[0] for name, word in product(names, descriptions)]

    def practice(model):
        model.set_attn_implementation("eager")  # the one that gives attentions
        for start in range(0, len(texts), len(descriptions)):
            batch = tokenizer(texts[start : start + len(descriptions)], padding=True, return_tensors="pt")
            logits = model(**batch, output_hidden_states=True, output_attentions=True).logits
            torch.log_softmax(logits, dim=-1)
        model.set_attn_implementation("sdpa")

    return texts, lambda: plan(tokenizer, texts, [{}] * len(texts), ["aul"]), practice


def categorical_bias_work(tokenizer):
    templates = ["People from [asked] are [condition].", "A person who is from [asked] is a [condition]."]
    countries = geonames(CONTINENTS, "all", "none", 0, None)
    targets = countries.loc[countries["level"] == "country", "name"].tolist()[:30]
    attributes = resources.read_words("resources/herb/descriptions/occupation.txt")
    attributes += resources.read_words("resources/herb/descriptions/morality.txt")[:10]
    made = [filled(t, asked=a, condition=b) for t, b, a in product(templates, attributes, targets)]
    texts, spans = [text for text, _ in made], [span for _, span in made]

    def practice(model):
        # for each template, attribute and number of the target's sub-tokens: the sentence, and its prior
        seen = set()
        for text, span in made:
            encoding = tokenizer(text, return_offsets_mapping=True)
            of = tokens_by_slot(encoding, span)
            case = (text[: span["asked"][0]], text[slice(*span["condition"])], len(of["asked"]))
            if case not in seen:
                seen.add(case)
                for hidden in (of["asked"], of["asked"] + of["condition"]):
                    one_a_call(model, [[masked(encoding["input_ids"], hidden, tokenizer.mask_token_id)]])

    return texts, lambda: plan(tokenizer, texts, spans, ["slot", "slot_prior"]), practice


def association_work(tokenizer):
    templates = [
        "the [asked] is [condition].",
        "the [asked] is a [condition] person.",
        "the [asked] possesses a [condition] personality.",
    ]
    people = ["man", "woman", "king", "queen", "father", "mother", "actor", "actress"]
    targets = mixed_effects.read("resources/mixed_effects/traits").targets
    traits = targets.loc[targets["dimension"] == "agreeableness", "target"].tolist()
    made = [filled(t, asked=a, condition=b) for t, b, a in product(templates, traits, people)][:160]
    texts, spans = [text for text, _ in made], [span for _, span in made]

    def practice(model):
        for text, span in made:
            encoding = tokenizer(text, return_offsets_mapping=True)
            ids, of = encoding["input_ids"], tokens_by_slot(encoding, span)
            one_a_call(model, [[masked(ids, [t], tokenizer.mask_token_id) for t in range(1, len(ids) - 1)]])
            for hidden in (of["asked"], of["asked"] + of["condition"]):
                one_a_call(model, [[masked(ids, hidden, tokenizer.mask_token_id)]])

    return texts, lambda: plan(tokenizer, texts, spans, ["pppl", "slot", "slot_prior"]), practice


def fastest(run: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(models: dict[str, BertForMaskedLM], tokenizer, name: str, work: Callable) -> str:
    """One line of the table. models: "plain", as PyTorch runs it, "float32" and "bfloat16", as Herbarium does."""
    _, make_plan, practice = work(tokenizer)
    planned = make_plan()
    with torch.inference_mode():
        floors = {
            kind: min(fastest(lambda t=t, m=m: floor(m, planned, t)) for t in FLOOR_TOKENS)
            for kind, m in models.items()
        }
        theirs = fastest(lambda: practice(models["plain"]))
        ours = {
            dtype: fastest(lambda m=models[dtype]: answering.answer_all(m, "cpu", make_plan(), name))
            for dtype in ("float32", "bfloat16")
        }
        _, changes = tuning.choose_dtype(
            tuning.means(models.get, "cpu", planned, name), "bfloat16", "cpu", {"max": 1, "mean": 1}, name
        )
    floors["float32"] = min(floors["float32"], floors["plain"])
    columns = "".join(
        f"{floors[dtype]:9.2f}{ours[dtype]:8.2f} ({ours[dtype] / floors[dtype]:4.2f}){theirs / ours[dtype]:7.1f}x"
        for dtype in ours
    )
    change = changes["bfloat16"]
    columns += f"{change['max']:10.4f}{change['mean']:8.4f}"
    return f"{name:22}{len(planned.inputs):7}{theirs:10.2f}{floors['plain']:10.2f}{columns}"


def main() -> None:
    works = {
        "(a) HERB": herb_work,
        "(b) Categorical Bias": categorical_bias_work,
        "(c) association, PPPL": association_work,
    }
    with tempfile.TemporaryDirectory() as folder:
        make_model(Path(folder), [text for work in works.values() for text in work(None)[0]])
        tokenizer = load_tokenizer(Path(folder), "bench")
        models = {"plain": load(Path(folder), "masked", "float32", "bench")}
        for dtype in ("float32", "bfloat16"):
            models[dtype] = answering.place(load(Path(folder), "masked", dtype, "bench"), "cpu")
        print(f"{torch.get_num_threads()} threads; seconds. In brackets: how many times the floor; x: how many times")
        print("faster than published practice; change: of a sentence's mean log-probability against float32")
        dtypes = "".join(f"{dtype + ' floor':>16}{'herbarium':>11}{'gain':>12}" for dtype in ("float32", "bfloat16"))
        print(f"{'':22}{'inputs':>7}{'practice':>10}{'PyTorch':>10}{dtypes}{'max change':>10}{'mean':>8}")
        for name, work in works.items():
            print(measure(models, tokenizer, name, work), flush=True)


if __name__ == "__main__":
    main()
