"""Scoring against its floor, against published practice and other libraries (`make bench`).

A BERT of base size with random weights and a vocabulary of real size, on the CPU. Three pieces of work:

- HERB: f(S) of 20 cities x 112 descriptions;
- Categorical Bias: log-probability and prior of 30 countries, 2 templates x 30 attributes;
- association and pseudo-perplexity of 160 sentences of three templates.

The *floor* is the bare forward passes of the same unique inputs in the best batch size, with the head where it is asked
for: as PyTorch runs them, and with the same packed products as Herbarium, whichever is faster. *Published practice* is
what the released code of the papers does, in plain form and float32: for HERB one padded batch of a city's 112
sentences with hidden states, attentions and the whole log-softmax; else one masked sentence per call, for the
pseudo-perplexity the masked copies of one sentence per call, with the whole head. The *share* of the machine is how
much of its rate Herbarium reaches: the rate of products of matrices of 2048 x 2048, as PyTorch runs them or packed,
whichever is faster; the work is that of the linear layers for the tokens of the unique inputs. *Useful* tokens are
those of passes that are not filler, as it runs here, and as it would on a GPU.

Of the sentences of the third, in float32:

- pseudo-log-likelihoods, and those of minicons, where `make oracles` has installed it: a call for so many sentences;
- log-likelihoods of a GPT-2 of base size with random weights, and those by the practice of lm-evaluation-harness: a
request a sentence, the longest first, batches of 64 padded on the right, the log-softmax of every position.

Spans: whom a BERT of base size with a head for questions, random weights, takes for the answer, of questions on
countries, both subjects each; its floor, and the practice of the released code of UnQover: batches of 100 padded
questions.

Everything is timed in turn in one run; the fastest of the rounds counts.
"""

import importlib.util
import tempfile
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path

import numpy as np
import torch
from studies.benchmarks.shared import BASE, Figure, say, size, timed
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForQuestionAnswering,
    BertTokenizerFast,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from herbarium.core import resources
from herbarium.metrics.herb import stimuli
from herbarium.metrics.interventions import formats
from herbarium.metrics.interventions import stimuli as interventions
from herbarium.metrics.mixed_effects import stimuli as mixed_effects
from herbarium.models import devices
from herbarium.models.loading import before_head, load, load_tokenizer, logits
from herbarium.regions.hierarchy import geonames
from herbarium.scoring import answering, costs, planning, quantities, tuning

ROUNDS = 2
FLOOR_TOKENS = size((256, 512, 1_024, 4_096), (512,))
VOCABULARY, OF_GPT2 = size(30_522, 2_000), size(50_257, 2_000)
GPT2 = size({}, {"n_embd": 32, "n_layer": 2, "n_head": 2})
N_CITIES, N_TARGETS, N_SENTENCES, N_PAIRS = size(20, 2), size(30, 3), size(160, 16), size(2, 1)
GEMM, GEMM_ROUNDS = size(2_048, 128), 20
MINICONS_BATCHES, HARNESS_BATCH, UNQOVER_BATCH = (8, 32), 64, 100
CONTINENTS = ["AF", "AS", "EU", "NA", "OC", "SA"]


def word_piece(texts: Iterable[str], n: int) -> Tokenizer:
    """Every word of the texts is one of its n tokens."""
    split = pre_tokenizers.BertPreTokenizer()
    words = sorted({word for text in texts for word, _ in split.pre_tokenize_str(text)})
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    vocabulary += [f"unused{i}" for i in range(n - len(vocabulary))]
    tokenizer = Tokenizer(models.WordPiece({word: i for i, word in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(lowercase=False), split
    return tokenizer


def make_bert(folder: Path, texts: Iterable[str]) -> None:
    tokenizer = word_piece(texts, VOCABULARY)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    BertTokenizerFast(tokenizer_object=tokenizer, do_lower_case=False).save_pretrained(folder)
    torch.manual_seed(0)
    BertForMaskedLM(BertConfig(vocab_size=VOCABULARY, **BASE)).save_pretrained(folder)


def make_gpt2(folder: Path, texts: Iterable[str]) -> None:
    marks = {"bos_token": "[CLS]", "eos_token": "[CLS]", "unk_token": "[UNK]"}
    PreTrainedTokenizerFast(tokenizer_object=word_piece(texts, OF_GPT2), **marks).save_pretrained(folder)
    torch.manual_seed(0)
    GPT2LMHeadModel(GPT2Config(vocab_size=OF_GPT2, bos_token_id=2, eos_token_id=2, **GPT2)).save_pretrained(folder)


def filled(template: str, **fillers: str) -> tuple[str, dict[str, tuple[int, int]]]:
    return resources.fill(template, **fillers)


def plan(tokenizer, texts: list[str], spans: list[dict], quantities: list[str]) -> planning.Block:
    """The unique inputs of several quantities of the same sentences, and the requests on them."""
    planner = planning.Planner(tokenizer, 512, lowercase=False)
    slots = {slot: tuple(np.array([span[slot] for span in spans]).T) for slot in spans[0]}
    roles = {slot: slot for slot in slots if slot in ("asked", "condition")}
    return planner.add(np.arange(len(texts)), texts, quantities, slots, roles)


def floor(model: PreTrainedModel, work: planning.Block, tokens: int, device: str = "cpu") -> None:
    """Bare forward passes of whole batches of one length, logits where they are asked for, and nothing else."""
    places: dict[int, set[int]] = {}
    for number, position in zip(*(work.requests[key].to_pylist() for key in ("input", "position")), strict=True):
        places.setdefault(number, set()).add(position)
    by_length: dict[int, list[tuple[int, list[int]]]] = {}
    for number, ids in zip(*(work.inputs[key].to_pylist() for key in ("input", "token_ids")), strict=True):
        by_length.setdefault(len(ids), []).append((number, ids))
    for length, group in by_length.items():
        size = max(1, tokens // length)
        for start in range(0, len(group), size):
            batch = group[start : start + size]
            at = [(row, position) for row, (number, _) in enumerate(batch) for position in places[number]]
            states, _ = before_head(model, torch.tensor([ids for _, ids in batch], device=device))
            logits(model, states[tuple(torch.tensor(at, device=device).T)])
    if device == devices.CUDA:
        torch.cuda.synchronize()


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
    names = cities.loc[cities["level"] == "city", "name"].tolist()[:N_CITIES]
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
    targets = countries.loc[countries["level"] == "country", "name"].tolist()[:N_TARGETS]
    attributes = resources.read_words("resources/herb/descriptions/occupation.txt")
    attributes += resources.read_words("resources/herb/descriptions/morality.txt")[:10]
    made = [filled(t, asked=a, condition=b) for t, b, a in product(templates, attributes, targets)]
    texts, spans = [text for text, _ in made], [span for _, span in made]

    def practice(model):
        # for each template, attribute and number of the target's sub-tokens: the sentence, and its prior
        seen = set()
        for text, span in made:
            encoding = tokenizer(text, return_offsets_mapping=True)
            tokens = tokens_by_slot(encoding, span)
            case = (text[: span["asked"][0]], text[slice(*span["condition"])], len(tokens["asked"]))
            if case not in seen:
                seen.add(case)
                for hidden in (tokens["asked"], tokens["asked"] + tokens["condition"]):
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
    made = [filled(t, asked=a, condition=b) for t, b, a in product(templates, traits, people)][:N_SENTENCES]
    texts, spans = [text for text, _ in made], [span for _, span in made]

    def practice(model):
        for text, span in made:
            encoding = tokenizer(text, return_offsets_mapping=True)
            ids, rows = encoding["input_ids"], tokens_by_slot(encoding, span)
            one_a_call(model, [[masked(ids, [t], tokenizer.mask_token_id) for t in range(1, len(ids) - 1)]])
            for hidden in (rows["asked"], rows["asked"] + rows["condition"]):
                one_a_call(model, [[masked(ids, hidden, tokenizer.mask_token_id)]])

    return texts, lambda: plan(tokenizer, texts, spans, ["pppl", "slot", "slot_prior"]), practice


def fastest(run: Callable[[], object], rounds: int = ROUNDS) -> float:
    return min(timed(run)[0] for _ in range(rounds))


def rates() -> dict[str, float]:
    """Operations a second in products of square matrices, by number format: PyTorch's own or packed, the faster."""
    best_rates = {}
    for dtype, packs in (
        (torch.float32, torch.backends.mkldnn.is_available),
        (torch.bfloat16, torch.ops.mkldnn._is_mkldnn_bf16_supported),
    ):
        a, b = torch.randn(2, GEMM, GEMM).to(dtype)
        ways = {"PyTorch": lambda a=a, b=b: a @ b}
        if packs():
            packed = torch.ops.mkldnn._reorder_linear_weight(b, GEMM)
            ways["packed"] = lambda a=a, table=packed: torch.ops.mkldnn._linear_pointwise(
                a, table, None, "none", [], ""
            )
        by_way = {way: 2 * GEMM**3 / fastest(run, GEMM_ROUNDS) for way, run in ways.items()}
        name = str(dtype).removeprefix("torch.")
        message = ", ".join(f"{way} {rate / 1e9:.0f}" for way, rate in by_way.items())
        say(
            f"products of {GEMM} x {GEMM} in {name}, 10^9 operations a second: {message}",
            *(
                Figure(f"products in {name}, {way}", rate / 1e9, "10^9 operations a second")
                for way, rate in by_way.items()
            ),
        )
        best_rates[name] = max(by_way.values())
    return best_rates


def operations(model: BertForMaskedLM, work: planning.Block) -> int:
    """Of the linear layers: a multiplication and an addition a weight, in the encoder for every token of the unique
    inputs, in the head for every position asked for."""

    def weights(module: torch.nn.Module) -> int:
        return sum(layer.weight.numel() for layer in module.modules() if isinstance(layer, torch.nn.Linear))

    n_tokens = sum(map(len, work.inputs["token_ids"].to_pylist()))
    n_places = len(work.requests.group_by(["input", "position"]).aggregate([]))
    return 2 * (n_tokens * weights(model.bert) + n_places * weights(model.cls))


def useful(model: PreTrainedModel, name: str, work: planning.Block) -> None:
    """One line: the share of the tokens of passes that are not filler, by device."""
    lengths, n, _ = costs.kinds_of_inputs(work.inputs, cuts=False)
    shares = {}
    for device in ("cpu", "cuda"):
        a_pass = answering.tokens_a_pass(model, device)
        shares[f"{device}, {a_pass} a pass"] = lengths @ n / answering.count_passes(lengths, n, device, a_pass)[1]
    what = f"{name}, useful tokens"
    told = "; ".join(f"{where}: {share:.0%}" for where, share in shares.items())
    figures = [Figure(f"{what}, {where}", 100 * share, "%") for where, share in shares.items()]
    say(f"{what}, {model.dtype}: {told}", *figures)


def measure(models: dict[str, BertForMaskedLM], tokenizer, name: str, work: Callable, rates: dict[str, float]) -> None:
    """One line of the table. models: "plain", as PyTorch runs it, "float32" and "bfloat16", as Herbarium does."""
    _, make_plan, practice = work(tokenizer)
    planned = make_plan()
    floors = {
        kind: min(fastest(lambda t=t, m=m: floor(m, planned, t)) for t in FLOOR_TOKENS) for kind, m in models.items()
    }
    theirs = fastest(lambda: practice(models["plain"]))
    ours = {
        dtype: fastest(lambda m=models[dtype]: answering.answer_all(m, "cpu", make_plan(), name)) for dtype in rates
    }
    _, changes = tuning.choose_dtype(
        tuning.means(models.get, "cpu", planned, name), "bfloat16", "cpu", {"max": 1, "mean": 1}, name
    )
    floors["float32"] = min(floors["float32"], floors["plain"])
    shares = {dtype: operations(models["plain"], planned) / ours[dtype] / rate for dtype, rate in rates.items()}
    columns = "".join(
        f"{floors[dtype]:9.2f}{ours[dtype]:8.2f} ({ours[dtype] / floors[dtype]:4.2f}){theirs / ours[dtype]:7.1f}x"
        f"{100 * shares[dtype]:6.0f} %"
        for dtype in ours
    )
    change = changes["bfloat16"]
    columns += f"{change['max']:10.4f}{change['mean']:8.4f}"
    figures = [Figure(f"{name}, practice", theirs, "s"), Figure(f"{name}, PyTorch's floor", floors["plain"], "s")]
    for dtype, seconds in ours.items():
        what = f"{name}, {dtype}"
        figures += [
            Figure(what, seconds, "s"),
            Figure(what, seconds / floors[dtype], peer="floor"),
            Figure(what, seconds / theirs, peer="published practice"),
            Figure(f"{what}, products a second", shares[dtype], peer="the machine's"),
        ]
    figures += [Figure(f"{name}, {statistic} |Δ| of bfloat16", value, "nat") for statistic, value in change.items()]
    say(f"{name:22}{len(planned.inputs):7}{theirs:10.2f}{floors['plain']:10.2f}{columns}", *figures)
    useful(models["plain"], name, planned)


def ours(model: PreTrainedModel, tokenizer, texts: list[str], quantity: str) -> np.ndarray:
    planned = plan(tokenizer, texts, [{}] * len(texts), [quantity])
    answers = answering.answer_all(model, "cpu", planned, quantity)
    return quantities.gather(answers, planned.sentences)["value"].to_numpy()


def minicons(folder: Path, texts: list[str], batch: int) -> Callable[[], list[float]]:
    from minicons.scorer import MaskedLMScorer

    scorer = MaskedLMScorer(str(folder), "cpu")

    def scores() -> list[float]:
        values = []
        for start in range(0, len(texts), batch):
            # tokenized here: minicons calls what transformers 5 no longer has
            encoded = scorer.tokenizer(texts[start : start + batch], padding=True)
            values += scorer.sequence_score(encoded, reduction=lambda log_p: log_p.sum().item(), PLL_metric="original")
        return values

    return scores


def harness(model: GPT2LMHeadModel, tokenizer, texts: list[str]) -> np.ndarray:
    """Log-likelihoods as lm-evaluation-harness has them: the text goes on from the beginning-of-sentence token."""
    requests = [[tokenizer.bos_token_id, *tokenizer(text)["input_ids"]] for text in texts]
    order = sorted(range(len(requests)), key=lambda number: -len(requests[number]))
    values = np.empty(len(texts))
    for start in range(0, len(order), HARNESS_BATCH):
        batch = order[start : start + HARNESS_BATCH]
        seen = [torch.tensor(requests[number][:-1]) for number in batch]
        logits = model(torch.nn.utils.rnn.pad_sequence(seen, batch_first=True)).logits
        log_p = torch.log_softmax(logits, dim=-1, dtype=torch.float32)
        for row, number in enumerate(batch):
            targets = torch.tensor(requests[number][1:])
            values[number] = log_p[row, : len(targets)].gather(1, targets[:, None]).sum().item()
    return values


def beside(name: str, peer: str, herbarium: Callable[[], np.ndarray], others: Iterable[Callable]) -> None:
    """One line: seconds of ours, and of the fastest of the others, who give the same."""
    values, theirs = herbarium(), list(others)
    for other in theirs:
        np.testing.assert_allclose(values, other(), rtol=1e-4)
    seconds, least = fastest(herbarium), min(map(fastest, theirs))
    say(
        f"{name}, {len(values)} sentences, float32: {peer} {least:.2f} s, Herbarium {seconds:.2f} s, "
        f"{least / seconds:.1f} x as fast",
        Figure(name, seconds, "s"),
        Figure(name, seconds / least, peer=peer),
    )


def beside_minicons(folder: Path, model: BertForMaskedLM, tokenizer, texts: list[str]) -> None:
    name = "pseudo-log-likelihood"
    if importlib.util.find_spec("minicons") is None:
        say(f"{name}: minicons is not installed; `make oracles` does it")
        return
    theirs = (minicons(folder, texts, batch) for batch in MINICONS_BATCHES)
    beside(name, "minicons", lambda: ours(model, tokenizer, texts, "pll"), theirs)


def beside_harness(folder: Path, texts: list[str]) -> None:
    tokenizer = load_tokenizer(folder, "bench")
    plain = load(folder, "causal", "float32", "bench")
    placed = answering.place(load(folder, "causal", "float32", "bench"), "cpu")
    beside(
        "log-likelihood, GPT-2",
        "lm-evaluation-harness's practice",
        lambda: ours(placed, tokenizer, texts, "ll"),
        [lambda: harness(plain, tokenizer, texts)],
    )


def beside_unqover(folder: Path) -> None:
    """Of spans: seconds of ours, of bare forward passes of the unique inputs, and of the released practice."""
    english = {"format": "lists", "table": "resources/interventions/english", "subjects": None, "max_pairs": N_PAIRS}
    tables = interventions.instantiate(formats.read(english, 0), interventions.SPAN_FORM)
    rows = next(tables)[: size(None, 64)]
    make_bert(folder, rows["text"].tolist())
    BertForQuestionAnswering(BertConfig(vocab_size=VOCABULARY, **BASE)).save_pretrained(folder)
    tokenizer = load_tokenizer(folder, "bench")
    plain = load(folder, "extractive", "float32", "bench")
    placed = answering.place(load(folder, "extractive", "float32", "bench"), "cpu")
    texts, ends = rows["text"].tolist(), rows["question_end"].tolist()
    slots = {
        slot: tuple(rows[f"{slot}_{name}"].to_numpy(int) for name in ("start", "end"))
        for slot in ("subject", "question")
    }
    roles = interventions.ROLES[interventions.SPAN_FORM]

    def planned() -> planning.Block:
        return planning.Planner(tokenizer, 512, lowercase=False).add(
            np.arange(len(texts)), texts, ["span"], slots, roles
        )

    def herbarium() -> np.ndarray:
        work = planned()
        return quantities.gather(answering.answer_all(placed, "cpu", work, "spans"), work.sentences)["value"].to_numpy()

    def practice() -> np.ndarray:
        """A question once, in the order of the list; both subjects are read off."""
        pairs = list(dict.fromkeys((text[:end], text[end + 1 :]) for text, end in zip(texts, ends, strict=True)))
        scores_by_pair = {}
        for start in range(0, len(pairs), UNQOVER_BATCH):
            batch = pairs[start : start + UNQOVER_BATCH]
            encoded = tokenizer(*map(list, zip(*batch, strict=True)), padding=True, return_tensors="pt")
            output = plain(**encoded)
            # theirs gives padding a share of the probability, so that a score depends on its batch
            is_padding = encoded["attention_mask"] == 0
            both = (output.start_logits, output.end_logits)
            log_p = [torch.log_softmax(logits.masked_fill(is_padding, -torch.inf), dim=1) for logits in both]
            scores_by_pair |= {pair: (encoded, row, log_p) for row, pair in enumerate(batch)}
        values = []
        for text, end, first, last in zip(texts, ends, *slots["subject"], strict=True):
            encoded, row, (begins, stops) = scores_by_pair[text[:end], text[end + 1 :]]
            at = [encoded.char_to_token(row, place - end - 1, 1) for place in (first, last - 1)]
            values.append(float(begins[row, at[0]] + stops[row, at[1]]) / 2)
        return np.array(values)

    beside("spans", "released practice", herbarium, [practice])
    work, seconds = planned(), fastest(herbarium)
    by_length: dict[int, list[list[int]]] = {}
    for ids in work.inputs["token_ids"].to_pylist():
        by_length.setdefault(len(ids), []).append(ids)

    def bare(tokens: int) -> None:
        for length, inputs in by_length.items():
            n = max(1, tokens // length)
            for start in range(0, len(inputs), n):
                plain(torch.tensor(inputs[start : start + n]))

    least = min(fastest(lambda tokens=tokens: bare(tokens)) for tokens in FLOOR_TOKENS)
    say(f"spans: {seconds / least:.2f} times the floor", Figure("spans", seconds / least, peer="floor"))


@torch.inference_mode()
def main() -> None:
    works = {
        "HERB": herb_work,
        "Categorical Bias": categorical_bias_work,
        "association, PPPL": association_work,
    }
    with tempfile.TemporaryDirectory() as folder:
        bert, gpt2, questions = (Path(folder, name) for name in ("bert", "gpt2", "questions"))
        make_bert(bert, [text for work in works.values() for text in work(None)[0]])
        tokenizer = load_tokenizer(bert, "bench")
        models = {"plain": load(bert, "masked", "float32", "bench")}
        for dtype in ("float32", "bfloat16"):
            models[dtype] = answering.place(load(bert, "masked", dtype, "bench"), "cpu")
        highest = rates()
        say(f"{torch.get_num_threads()} threads; seconds. In brackets: how many times the floor; x: how many times")
        say("faster than published practice; share: of the machine's rate of products; change: of a sentence's mean")
        say("log-probability against float32")
        dtypes = "".join(
            f"{dtype + ' floor':>16}{'herbarium':>11}{'gain':>12}{'share':>8}" for dtype in ("float32", "bfloat16")
        )
        say(f"{'':22}{'inputs':>7}{'practice':>10}{'PyTorch':>10}{dtypes}{'max change':>10}{'mean':>8}")
        for name, work in works.items():
            measure(models, tokenizer, name, work, highest)
        sentences = association_work(None)[0]
        beside_minicons(bert, models["float32"], tokenizer, sentences)
        make_gpt2(gpt2, sentences)
        beside_harness(gpt2, sentences)
        beside_unqover(questions)


if __name__ == "__main__":
    main()
