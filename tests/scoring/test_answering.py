"""Plan, score and gather against the plainest computation there is, and what must not change a score."""

from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import FAMILIES, families, mostly_nightly, mostly_slow, tokenizer_of
from tests.refusals import refused

import herbarium
from herbarium.models import loading
from herbarium.scoring import answering, answers, planning, quantities, tokenization

SENTENCES = [
    *("People in Peru are weak.", "People in New Zealand are hard-working.", "People in New Zealand are weak."),
    *("People in Xi’an are wise.", "Peru", "Saint Kitts and Nevis"),
    "The cat was loud, and the mat in Peru was wise and hard-working.",
]


def plain(folder, kind, text, quantity):
    """One sentence alone: the whole head over every position, tokenized by transformers as it comes."""
    model, tokenizer = of_transformers(folder, kind)
    encoding = tokenizer(text, return_special_tokens_mask=True)
    ids, special, words = encoding["input_ids"], encoding["special_tokens_mask"], encoding.word_ids()
    if kind == "causal" and not special[0]:
        ids, special, words = [tokenizer.bos_token_id, *ids], [1, *special], [None, *words]
    ids = torch.tensor([ids])
    log_p = []
    with torch.no_grad():
        for t in (t for t, mark in enumerate(special) if not mark):
            shown, place = ids.clone(), t
            if quantity in ("pll", "pppl", "pll_word_l2r"):
                shown[0, t] = tokenizer.mask_token_id
            if quantity == "pll_word_l2r":
                shown[0, [u for u in range(t, len(words)) if words[u] == words[t]]] = tokenizer.mask_token_id
            if kind == "causal":
                shown, place = ids[:, :t], t - 1  # it sees no token but those before
            extra = {"labels": ids} if kind == "seq2seq" else {"output_attentions": quantity == "aula"}
            output = model(input_ids=shown, **extra)
            log_p.append(torch.log_softmax(output.logits[0, place].double(), dim=-1)[ids[0, t]].item())
            if quantity == "aula":
                log_p[-1] *= np.mean([layer[0, :, :, t].mean().item() for layer in output.attentions])
    mean = np.mean(log_p)
    return {"aul": mean, "aula": mean, "mean_ll": mean, "pppl": np.exp(-mean), "loss": -mean}.get(
        quantity, np.sum(log_p)
    )


LOADERS = {"masked": "AutoModelForMaskedLM", "seq2seq": "AutoModelForSeq2SeqLM", "causal": "AutoModelForCausalLM"}


@cache
def of_transformers(folder, kind):
    model = getattr(transformers, LOADERS[kind]).from_pretrained(folder, attn_implementation="eager").eval()
    return model, transformers.AutoTokenizer.from_pretrained(folder)


EVERY = [
    (family, quantity)
    for kind in LOADERS
    for family in families(kind)
    for quantity, kinds in quantities.QUANTITIES.items()
    # of pairs, of batches, of slots: below
    if kind in kinds
    and quantity not in (*quantities.OF_PAIRS, "aul_padded", "ll_asked")
    and not quantity.startswith("slot")
]


@pytest.mark.parametrize(("family", "quantity"), mostly_slow(EVERY, "bert", "gpt2", "t5"))
def test_every_family_and_quantity_equals_the_plain_computation(model_folder, family, quantity):
    folder, kind = model_folder(family), FAMILIES[family][0]
    values = herbarium.score(SENTENCES, model=folder, quantity=quantity, kind=kind)
    expected = [plain(folder, kind, text, quantity) for text in SENTENCES]
    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-5)
    assert values.dtype == np.float64
    assert values.index.tolist() == SENTENCES


def planned(folder, texts, quantity="aul", blocks=1, **options):
    planner = planning.Planner(tokenizer_of(folder), options.get("max_tokens", 64), options.get("lowercase", False))
    parts = np.array_split(np.arange(len(texts)), blocks)
    fillers, roles = options.get("fillers", {}), options.get("roles")

    def add(part):
        of_part = {slot: (start[part], end[part]) for slot, (start, end) in fillers.items()}
        return planner.add(part, [texts[i] for i in part], [quantity], of_part, roles)

    added = [add(part) for part in parts]
    return tuple(
        pa.concat_tables([getattr(block, name) for block in added]) for name in ("inputs", "requests", "sentences")
    )


def scored(model, inputs, requests, sentences, n_parts=1, pass_tokens=None):
    """The scores of a plan whose inputs are answered in parts: input i in part i mod n."""
    answers = np.full(len(requests), np.nan)
    for part in range(n_parts):
        of_part = (table.filter(pa.array(table["input"].to_numpy() % n_parts == part)) for table in (inputs, requests))
        some_inputs, some_requests = of_part
        answers[some_requests["request"].to_numpy()] = answering.answer(
            model, "cpu", some_inputs, some_requests, "t", pass_tokens
        )
    return quantities.gather(answers, sentences)["value"].to_numpy()


FRAMES = ["People in [a] are [b].", "[b] [a]", "[a][b], [a]!", "The [b] [a] was, and the mat in [a] is [b]."]
FILLERS = st.lists(st.text(st.sampled_from("aePZ w-.’é"), min_size=1, max_size=9), min_size=1, max_size=5, unique=True)


def instances(frame, names, words):
    """Every sentence of a template that has a token, and the characters of each slot's first filler."""
    texts = [frame.replace("[a]", a).replace("[b]", b) for a in names for b in words]
    starts = [(frame.index("[a]"), frame.index("[b]"), len(a), len(b)) for a in names for b in words]
    spans = {"a": [], "b": []}
    for at_a, at_b, n_a, n_b in starts:
        spans["a"].append((at_a + (n_b - 3) * (at_b < at_a), at_a + (n_b - 3) * (at_b < at_a) + n_a))
        spans["b"].append((at_b + (n_a - 3) * (at_a < at_b), at_b + (n_a - 3) * (at_a < at_b) + n_b))
    return texts, {slot: np.array(bounds) for slot, bounds in spans.items()}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("family", mostly_nightly(["bert", "roberta", "albert", "deberta-v2"], "bert"))
@given(
    frame=st.sampled_from(FRAMES),
    names=FILLERS,
    words=FILLERS,
    quantity=st.sampled_from(["aul", "aula", "pll", "slot", "slot_prior"]),
    random=st.randoms(use_true_random=False),
    blocks=st.integers(1, 4),
    n_parts=st.integers(1, 9),
    pass_tokens=st.integers(1, 600),
)
@settings(max_examples=25)
@pytest.mark.slow
def test_nothing_but_the_sentence_changes_a_bit(
    model_folder, family, dtype, frame, names, words, quantity, random, blocks, n_parts, pass_tokens
):
    folder = model_folder(family)
    model = placed(folder, dtype)
    texts, spans = instances(frame, names, words)

    def values(order, blocks=1, **how):
        fillers = {slot: tuple(bounds[order].T) for slot, bounds in spans.items()}
        chosen = [texts[i] for i in order]
        return scored(model, *planned(folder, chosen, quantity, blocks, fillers=fillers, roles=ROLES), **how)

    expected = values(list(range(len(texts))))
    order = random.sample(range(len(texts)), len(texts))
    # attention is worked out by products whose rounding depends, in heads as small as these, on where a row lies
    rtol = 1e-6 if quantity == "aula" else 0
    shuffled = values(order, min(blocks, len(texts)), n_parts=n_parts, pass_tokens=pass_tokens)
    np.testing.assert_allclose(shuffled, expected[order], rtol=rtol)
    np.testing.assert_allclose(values(order[:1]), expected[order[:1]], rtol=rtol)


ROLES = {"a": "asked", "b": "condition"}


@cache
def placed(folder, dtype, kind="masked"):
    return answering.place(loading.load(folder, kind, dtype, "m"), "cpu")


@pytest.mark.parametrize("family", mostly_slow(families("masked", "seq2seq"), "bert", "t5"))
@pytest.mark.slow
def test_neighbours_change_no_bit(model_folder, family):
    folder, kind = model_folder(family), FAMILIES[family][0]
    places, words = ("Peru", "Fiji", "New Zealand", "Lima"), ("weak", "wise", "shy", "loud", "hard-working")
    many = [f"{a} in {b} are {c}, {d}." for a in places for b in places for c in words for d in words]
    among = herbarium.score(SENTENCES + many, model=folder, kind=kind).iloc[: len(SENTENCES)]
    model = placed(folder, "float32", kind)
    alone = np.concatenate([scored(model, *planned(folder, [text])) for text in SENTENCES])
    np.testing.assert_array_equal(among, alone)


@pytest.mark.parametrize("tokens", [1, 7, 64])
def test_the_size_of_a_pass_changes_no_bit(model_folder, monkeypatch, tokens):
    folder = model_folder("bert")
    model = placed(folder, "float32")
    plan = planned(folder, SENTENCES, "pll")
    expected = scored(model, *plan)
    monkeypatch.setitem(answering._PASS_LOGITS, "cpu", tokens * 100)
    np.testing.assert_array_equal(scored(model, *plan, pass_tokens=tokens), expected)


def test_each_unique_input_is_planned_once(model_folder):
    folder = model_folder("bert")
    twice, _, _ = planned(folder, SENTENCES * 2, blocks=3)
    assert len(twice) == len(SENTENCES)
    assert len(set(map(tuple, twice["token_ids"].to_pylist()))) == len(twice)
    # "... Zealand are weak" and "... Zealand are <other>" share the input in which the last word is masked
    pair = ["People in Peru are weak.", "People in Peru are wise."]
    inputs, requests, _ = planned(folder, pair, "pll")
    lengths = [len(loading.load_tokenizer(folder, "m")(text).input_ids) - 2 for text in pair]
    assert lengths == [6, 6]
    assert (len(inputs), len(requests)) == (2 * 6 - 1, 12)


@pytest.mark.parametrize("family", mostly_slow(families("masked", "seq2seq"), "bert", "bart"))
def test_a_padded_batch_equals_what_transformers_computes(model_folder, family):
    """As the released code of HERB: tokenize with padding, take the mean over all places but the first and the last."""
    folder, kind = model_folder(family), FAMILIES[family][0]
    model = getattr(transformers, LOADERS[kind]).from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    batch = tokenizer(SENTENCES, padding=True, return_tensors="pt")
    batch.pop("token_type_ids", None)
    assert (batch["attention_mask"] == 0).any()
    extra = {"labels": batch["input_ids"]} if kind == "seq2seq" else {}
    with torch.no_grad():
        log_p = torch.log_softmax(model(**batch, **extra).logits.double(), dim=-1)
    expected = log_p.gather(2, batch["input_ids"].unsqueeze(2)).squeeze(2)[:, 1:-1].mean(dim=1)
    values = herbarium.score(SENTENCES, model=folder, quantity="aul_padded", kind=kind)
    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-5)
    alone = herbarium.score(SENTENCES[:1], model=folder, quantity="aul_padded", kind=kind)
    if kind == "masked":  # without padding it is AUL
        np.testing.assert_allclose(alone, herbarium.score(SENTENCES[:1], folder, "aul", kind=kind), atol=1e-6)


def test_each_batch_is_padded_by_itself(model_folder):
    folder = model_folder("bert")
    planner = planning.Planner(loading.load_tokenizer(folder, "m"), 64, False)
    batch = np.arange(len(SENTENCES)) % 2
    block = planner.add(np.arange(len(SENTENCES)), SENTENCES, ["aul_padded"], batch=batch)
    model = placed(folder, "float32")
    values = scored(model, block.inputs, block.requests, block.sentences)
    for number in (0, 1):
        rows = [text for text, of_text in zip(SENTENCES, batch, strict=True) if of_text == number]
        np.testing.assert_array_equal(
            values[batch == number], scored(model, *planned(folder, rows, "aul_padded"), n_parts=3, pass_tokens=64)
        )


def test_padding_and_truncation_saved_in_a_tokenizer_are_undone(model_folder, tmp_path):
    folder = model_folder("bert")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.backend_tokenizer.enable_padding(length=40)
    tokenizer.backend_tokenizer.enable_truncation(max_length=6)
    tokenizer.save_pretrained(tmp_path)
    assert '"padding":{' in (tmp_path / "tokenizer.json").read_text().replace(" ", "").replace("\n", "")
    reloaded = loading.load_tokenizer(tmp_path, "m")
    expected = tokenization.encode(loading.load_tokenizer(folder, "m"), SENTENCES)
    np.testing.assert_array_equal(tokenization.encode(reloaded, SENTENCES).token_ids, expected.token_ids)


def test_the_score_of_a_pair_is_of_the_tokens_they_share(model_folder):
    folder = model_folder("bert")
    more, less = "People in Peru are weak and loud.", "People in New Zealand are weak and loud."
    values = herbarium.score([more, less], model=folder, quantity="cps")
    model, tokenizer = (
        transformers.AutoModelForMaskedLM.from_pretrained(folder).eval(),
        transformers.AutoTokenizer.from_pretrained(folder),
    )
    for text, value in zip((more, less), values, strict=True):
        ids = torch.tensor([tokenizer(text)["input_ids"]])
        tokens = tokenizer.convert_ids_to_tokens(ids[0])
        modified = {"Peru", "New", "Zealand", "[CLS]", "[SEP]"}  # never masked
        log_p = 0
        for t in (t for t, token in enumerate(tokens) if token not in modified):
            masked = ids.clone()
            masked[0, t] = tokenizer.mask_token_id
            with torch.no_grad():
                log_p += torch.log_softmax(model(masked).logits[0, t].double(), dim=-1)[ids[0, t]].item()
        assert value == pytest.approx(log_p, abs=1e-5)


@pytest.mark.parametrize("family", families("causal"))
def test_asked_words_are_given_all_before_them(model_folder, family):
    folder, start = model_folder(family), "People in New Zealand are"
    model, tokenizer = of_transformers(folder, "causal")
    texts = [f"{start} {words}." for words in ("weak", "hard-working and loud")]
    bounds = np.full(2, len(start) + 1), np.array([len(text) - 1 for text in texts])
    tables = planned(folder, texts, "ll_asked", fillers={"word": bounds}, roles={"word": "asked"})
    values = scored(loading.load(folder, "causal", "float32", "m"), *tables)
    for text, value, n_tokens, (low, high) in zip(
        texts, values, tables[2]["n_tokens"].to_pylist(), zip(*bounds, strict=True), strict=True
    ):
        encoding = tokenizer(text, return_offsets_mapping=True, add_special_tokens=False)
        ids = [tokenizer.bos_token_id, *encoding["input_ids"]]
        asked = [t for t, (a, b) in enumerate(encoding["offset_mapping"], start=1) if a < high and b > low]
        with torch.no_grad():
            log_p = [
                torch.log_softmax(model(torch.tensor([ids[:t]])).logits[0, -1].double(), dim=-1)[ids[t]].item()
                for t in asked
            ]
        assert (value, n_tokens) == (pytest.approx(sum(log_p), abs=1e-5), len(asked))


@pytest.mark.parametrize("quantities", [["ll_asked"], ["mean_ll"], ["mean_ll", "ll_asked"]])
def test_a_file_is_planned_for_what_it_asks_and_nothing_else(model_folder, quantities):
    table = pa.table({"sentence_id": [2], "text": ["Peru is weak."], "word_start": [8], "word_end": [12]})
    planner = planning.Planner(tokenizer_of(model_folder("gpt2")), 64, False)
    header = {"quantities": quantities, "slots": ["word"], "roles": {"word": "asked"}}
    plan = planner.add_stimuli(table, header)
    assert plan.sentences["quantity"].to_pylist() == quantities
    assert len(plan.requests) == sum(plan.sentences["n_requests"].to_pylist())


def test_a_sentence_without_the_asked_words_is_not_asked_for_them(model_folder):
    table = pa.table(
        {"sentence_id": [1, 2], "text": ["Peru", "Peru is weak."], "word_start": [None, 8], "word_end": [None, 12]}
    )
    planner = planning.Planner(tokenizer_of(model_folder("gpt2")), 64, False)
    header = {"quantities": ["mean_ll", "ll_asked"], "slots": ["word"], "roles": {"word": "asked"}}
    sentences = planner.add_stimuli(table, header).sentences.to_pandas()
    assert list(zip(sentences["sentence_id"], sentences["quantity"], strict=True)) == [
        (1, "mean_ll"),
        (2, "mean_ll"),
        (2, "ll_asked"),
    ]
    assert sentences["note"].isna().all()


@pytest.mark.parametrize("family", mostly_slow(families("masked"), "bert", "roberta"))
def test_a_slot_is_asked_with_one_factor_a_mask(model_folder, family):
    folder = model_folder(family)
    text, asked, condition, hidden = (
        "People in New Zealand are hard-working and loud .",  # "loud." would be one token of some tokenizers
        "New Zealand",
        "hard-working",
        "loud",
    )
    spans = {
        role: [(text.index(word), text.index(word) + len(word))]
        for role, word in (("asked", asked), ("condition", condition), ("hidden", hidden))
    }
    model, tokenizer = (
        transformers.AutoModelForMaskedLM.from_pretrained(folder).eval(),
        transformers.AutoTokenizer.from_pretrained(folder),
    )
    encoding = tokenizer(text, return_offsets_mapping=True)
    ids = torch.tensor([encoding["input_ids"]])
    tokens_by_role = {
        role: [t for t, (a, b) in enumerate(encoding["offset_mapping"]) if a < bound[0][1] and b > bound[0][0]]
        for role, bound in spans.items()
    }
    for quantity, masked_roles in (("slot", ("asked", "hidden")), ("slot_prior", ("asked", "hidden", "condition"))):
        masked = ids.clone()
        masked[0, [t for role in masked_roles for t in tokens_by_role[role]]] = tokenizer.mask_token_id
        with torch.no_grad():
            log_p = torch.log_softmax(model(masked).logits[0].double(), dim=-1)
        expected = sum(log_p[t, ids[0, t]].item() for t in tokens_by_role["asked"])
        value = herbarium.score([text], folder, quantity, spans=spans).iloc[0]
        assert value == pytest.approx(expected, abs=1e-5)
    assert len(tokens_by_role["asked"]) > 1


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_released_masks_are_counted_by_the_bare_word(model_folder, family):
    """A literal transcription: as many masks as the bare word has tokens, and every token of the sentence's word at as
    many places from the first mask on. A byte-level tokenizer has other tokens for a word behind a space."""
    folder = model_folder(family)
    tokenizer, model = (
        transformers.AutoTokenizer.from_pretrained(folder),
        transformers.AutoModelForMaskedLM.from_pretrained(folder).eval(),
    )
    template, words = "People in {} are weak.", ["Peru", "are", "working", "Kitts"]
    bare = [len(tokenizer.tokenize(word)) for word in words]

    def in_sentence(word):
        encoding = tokenizer(template.format(word), return_offsets_mapping=True)
        offsets = zip(encoding["input_ids"], encoding["offset_mapping"], strict=True)
        return [token for token, (start, end) in offsets if end > 10 and start < 10 + len(word)]

    assert (bare != [len(in_sentence(word)) for word in words]) == (family == "roberta")
    all_masks = tokenizer.mask_token * len(tokenizer.tokenize("weak"))
    for quantity, condition in (("slot_released", " weak"), ("slot_prior_released", all_masks)):
        expected = []
        for word, k in zip(words, bare, strict=True):
            # the mask of a real byte-level tokenizer takes the space before it; this one's does not
            text = template.replace(" {}", tokenizer.mask_token * k).replace(" weak", condition)
            ids = torch.tensor([tokenizer(text)["input_ids"]])
            with torch.no_grad():
                log_p = torch.log_softmax(model(ids).logits[0].double(), dim=-1)
            first, target = ids[0].tolist().index(tokenizer.mask_token_id), in_sentence(word)
            expected.append(sum(log_p[first + place, t].item() for place in range(len(target)) for t in target))
        texts = [template.format(word) for word in words]
        spans = {"asked": [(10, 10 + len(word)) for word in words]}
        spans["condition"] = [(text.index("weak"), text.index("weak") + 4) for text in texts]
        values = herbarium.score(texts, folder, quantity, spans=spans)
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-5)


def test_candidates_of_one_slot_share_their_input(model_folder):
    texts = ["People in Peru are weak.", "People in Fiji are weak.", "People in Lima are weak."]
    fillers = {"place": (np.full(3, 10), np.full(3, 14)), "word": (np.full(3, 19), np.full(3, 23))}
    planner = planning.Planner(loading.load_tokenizer(model_folder("bert"), "m"), 64, False)
    roles = {"place": "asked", "word": "condition"}
    assert len(planner.add(np.arange(3), texts, ["slot"], fillers, roles).inputs) == 1
    assert len(planner.add(np.arange(3), texts, ["slot_prior"], fillers, roles).inputs) == 1
    assert len(planner.add(np.arange(3), texts, ["slot"], fillers, roles).inputs) == 0  # known from before


def test_slots_and_pairs_that_are_none_are_refused(model_folder):
    with refused(None, "'asked'"):
        herbarium.score(["x"], model_folder("bert"), "slot")
    with refused(None, "'cps'", "1"):
        herbarium.score(["x"], model_folder("bert"), "cps")


# --- memory ---


class SmallMemory:
    """Forward passes that fail, as on a GPU, when they hold more tokens than there is room for."""

    def __init__(self, tokens, monkeypatch):
        self.tokens, self.passes, self.forward = tokens, [], answering.before_head
        monkeypatch.setattr(answering, "before_head", self)

    def __call__(self, model, token_ids, with_attention, attention_mask):
        if token_ids.numel() > self.tokens:
            raise torch.OutOfMemoryError
        self.passes.append(token_ids.numel())
        return self.forward(model, token_ids, with_attention, attention_mask)


def test_a_pass_too_large_for_the_memory_is_halved(model_folder, monkeypatch, caplog):
    model = placed(model_folder("bert"), "float32")
    plan = planned(model_folder("bert"), SENTENCES * 8, "pll")
    expected = scored(model, *plan)
    monkeypatch.setattr(answering, "_LEAST_ROWS_CPU", 1)
    memory = SmallMemory(150, monkeypatch)
    with caplog.at_level("INFO", "herbarium"):
        values = scored(model, *plan, pass_tokens=1000)
    np.testing.assert_allclose(values, expected, rtol=1e-5)
    assert max(memory.passes) <= 125
    assert "a pass does not fit into memory; from now on, passes have 125 tokens." in caplog.text


def test_a_sentence_too_large_for_the_memory_is_named_in_an_error(model_folder, monkeypatch):
    monkeypatch.setattr(answering, "_LEAST_ROWS_CPU", 1)
    SmallMemory(5, monkeypatch)
    with refused("t", "memory"):
        scored(placed(model_folder("bert"), "float32"), *planned(model_folder("bert"), SENTENCES[1:2]), pass_tokens=64)


# --- answers that are kept on the way ---


@pytest.mark.parametrize("quantity", ["aul", "pll"])
def test_answers_so_far_are_given_on_the_way_and_the_rest_are_the_same_without_them(
    model_folder, monkeypatch, quantity
):
    monkeypatch.setattr(answering, "_KEEP_AFTER", 0)
    monkeypatch.setattr(answering, "_KEEP_SHARE", 0)
    model = placed(model_folder("bert"), "float32")
    texts = [f"{text} {word}" for text in SENTENCES for word in ("weak", "wise", "loud", "Peru was", "Fiji")]
    inputs, requests, _ = planned(model_folder("bert"), texts, quantity)
    requests = requests.take(np.random.default_rng(0).permutation(len(requests)))  # in any order
    kept = []
    whole = answering.answer(model, "cpu", inputs, requests, "t", 64, kept.append)
    np.testing.assert_array_equal(whole, answering.answer(model, "cpu", inputs, requests, "t", 64))
    n_known = [np.isfinite(so_far).sum() for so_far in kept]
    assert n_known == sorted(n_known)
    assert any(0 < n < len(requests) for n in n_known)
    for so_far in kept[-3:]:
        known = np.isfinite(so_far)
        np.testing.assert_array_equal(so_far[known], whole[known])
        table = answers.by_input(inputs, requests, so_far)
        np.testing.assert_array_equal(answers.by_request(table, inputs, [requests]), so_far)
        if not known.all():
            left = requests.filter(pa.array(~known))
            some = inputs.filter(pc.is_in(inputs["input"], left["input"]))
            np.testing.assert_array_equal(answering.answer(model, "cpu", some, left, "t", 64), whole[~known])


def test_answers_are_kept_once_a_minute_and_never_for_most_of_the_time(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(answering.time, "monotonic", lambda: now[0])
    kept = []

    def keep(_):
        kept.append(now[0])
        now[0] += 10  # s

    now_and_then = answering.now_and_then(keep)
    while now[0] < 1000:
        now_and_then(lambda: np.zeros(1))
        now[0] += 1
    assert kept[0] == 60
    assert np.diff(kept).min() >= 200


def test_what_is_not_finite_is_not_kept_as_an_answer(model_folder, monkeypatch):
    monkeypatch.setattr(answering, "_KEEP_AFTER", 0)
    monkeypatch.setattr(answering, "_KEEP_SHARE", 0)
    model = loading.load(model_folder("bert"), "masked", "float32", "m")
    with torch.no_grad():
        model.get_output_embeddings().bias[1:] = -torch.inf
    kept = []
    inputs, requests, _ = planned(model_folder("bert"), SENTENCES)
    with refused("t", "not finite"):
        answering.answer(model, "cpu", inputs, requests, "t", None, kept.append)
    assert kept
    assert np.isnan(kept).all()


# --- sentences that cannot be scored ---


def test_a_score_that_is_not_finite_stops_the_shard(model_folder):
    folder = model_folder("bert")
    model = loading.load(folder, "masked", "float32", "m")
    with torch.no_grad():
        model.get_output_embeddings().weight[:] = float("inf")
    inputs, requests, _ = planned(folder, SENTENCES)
    with refused("t", "not finite"):
        answering.answer(model, "cpu", inputs, requests, "t")


@pytest.mark.parametrize(("kind", "quantity"), [("causal", "aul"), ("seq2seq", "pll"), ("masked", "ll")])
def test_a_quantity_that_a_kind_cannot_give_is_refused(model_folder, kind, quantity):
    with refused("bert0", kind, f"'{quantity}'"):
        herbarium.score(["x"], model=model_folder("bert"), quantity=quantity, kind=kind)


def test_an_unknown_quantity_is_refused(model_folder):
    with refused("'auk'", "aul", "aul_padded", "aula", "pll"):
        herbarium.score(["x"], model=model_folder("bert"), quantity="auk")


def test_no_sentence_has_no_score(model_folder):
    assert herbarium.score([], model=model_folder("bert")).empty


def test_a_call_that_will_not_do_is_an_error_for_people():
    with refused("'org/name'", "revision"):
        herbarium.score(["x"], model="org/name")
    with refused("kind", "'masked'"):
        herbarium.score(["x"], model="org/name", kind="maskd")
