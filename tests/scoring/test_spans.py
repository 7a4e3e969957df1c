"""Answers to questions: plan, score and gather against transformers' own forward pass of one pair at a time, and
against what the released code takes for a part of an answer."""

import hashlib
import inspect
import json
import shutil
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
import torch
import transformers
from tests.conftest import EXTRACTIVE, mostly_nightly, tokenizer_of
from tests.refusals import refused

import herbarium
from herbarium.metrics.interventions.stimuli import AROUND
from herbarium.models import loading, tokenizer_files
from herbarium.scoring import answering, planning, quantities, tokenization, tuning

WHO, WHO_NOT = "Who was rude to the tourists?", "Who can never be rude to the tourists?"
MET = "The man saw a Sikh man and some Muslim city, and the Fijian met an Inuit."
GROUPS = "The man met a group of Sikh people, a team of New Zealand folk and some Muslim men."
SIKA = "Who saw Sika Sikh men? Lima Muslim, few Fijian boys."
# Question, context, answer: of one token and of several, with and without a word around them that counts.
CASES = [
    *((question, MET, answer) for question in (WHO, WHO_NOT) for answer in ("Sikh", "Muslim", "Fijian", "Inuit")),
    *((WHO, GROUPS, answer) for answer in ("Sikh", "New Zealand", "Muslim", "Muslim men")),
    *((WHO_NOT, SIKA, answer) for answer in ("Sikh", "Sikh men", "Sika", "Muslim", "Fijian")),
]
SPACED = {
    "bert-extractive": "",
    "distilbert-extractive": "",
    "electra-extractive": "",
}  # how a token after a space begins
SPACED |= {"roberta-extractive": "Ġ", "bart-extractive": "Ġ"}
BOTH = ["bert-extractive", "roberta-extractive"]


def stimuli(cases):
    """The text of each case, and the characters of question and answer."""
    texts = [f"{question} {context}" for question, context, _ in cases]
    starts = [len(question) + 1 + context.index(answer) for question, context, answer in cases]
    asked = [(start, start + len(answer)) for start, (*_, answer) in zip(starts, cases, strict=True)]
    return texts, {"question": [(0, len(question)) for question, *_ in cases], "asked": asked}


def score(folder, quantity, cases=CASES, **options):
    texts, spans = stimuli(cases)
    return herbarium.score(texts, folder, quantity, kind="extractive", spans=spans, around=AROUND, **options).to_numpy()


@cache
def of_transformers(folder):
    return transformers.AutoModelForQuestionAnswering.from_pretrained(
        folder
    ).eval(), transformers.AutoTokenizer.from_pretrained(folder)


def plain(folder, question, context, answer):
    """One pair alone: its tokens, where its answer begins and ends, and the probabilities of all tokens for either."""
    model, tokenizer = of_transformers(folder)
    pair = tokenizer(question, context, return_tensors="pt")
    first = context.index(answer)
    places = [pair.char_to_token(0, at, 1) for at in (first, first + len(answer) - 1)]
    given = {name: value for name, value in pair.items() if name in inspect.signature(model.forward).parameters}
    with torch.no_grad():
        output = model(**given)
    probabilities = [
        torch.softmax(logits[0].double(), dim=0).tolist() for logits in (output.start_logits, output.end_logits)
    ]
    return tokenizer.convert_ids_to_tokens(pair["input_ids"][0]), places, probabilities


def released(tokens, places, probabilities, space):
    """What `improve_prediction` of UnQover does. space: how a token begins that follows a space."""
    (first, last), (begins, ends) = places, probabilities
    one = [space + word for word in ("an", "a", "the", "some", "few", "several")]
    begin, end = begins[first], ends[last]
    if space:
        one += [space + word for word in ("An", "A", "The", "Some", "Few", "Several")]
    if tokens[first - 1] in one:
        begin = max(begin, begins[first - 1])
    if tokens[first - 3 : first] in [[space + word for word in ("a", name, "of")] for name in ("group", "team")]:
        begin = max(begins[first - 3 : first + 1])
    behind = "man woman boy girl child kid person folk people couple men women boys girls children kids persons folks"
    behind += " city country cities countries"
    if tokens[last + 1] in [*(space + word for word in behind.split()), "."]:
        end = max(end, ends[last + 1])
    return begin, end


@pytest.mark.parametrize("family", EXTRACTIVE)
@pytest.mark.slow
def test_a_span_is_that_of_transformers(model_folder, family):
    folder = model_folder(family)
    expected = []
    for case in CASES:
        _, (first, last), (begins, ends) = plain(folder, *case)
        expected.append(np.log(np.sqrt(begins[first] * ends[last])))
    np.testing.assert_allclose(score(folder, "span"), expected, rtol=0, atol=1e-5)
    assert len(np.unique(np.round(expected, 6))) == len(CASES)


def test_some_answers_have_several_tokens(model_folder):
    for family in EXTRACTIVE:
        _, (first, last), _ = plain(model_folder(family), WHO, GROUPS, "New Zealand")
        assert last > first


@pytest.mark.parametrize("family", EXTRACTIVE)
def test_a_span_as_released_is_that_of_the_released_code(model_folder, family):
    folder = model_folder(family)
    results = [plain(folder, *case) for case in CASES]
    expected = [np.log(np.sqrt(np.prod(released(*probabilities, SPACED[family])))) for probabilities in results]
    values = score(folder, "span_released")
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-5)
    span_scores = score(folder, "span")
    assert (values >= span_scores).all()
    assert (values > span_scores).any()


def around(folder, context, answer, question=WHO):
    """Where the released code lets an answer begin and end, as distances from its own tokens."""
    block = plan(folder, *stimuli([(question, context, answer)]), ["span_released"])
    position, target = (block.requests[name].to_numpy() for name in ("position", "target"))
    begins, ends = position[target == quantities.BEGINS], position[target == quantities.ENDS]
    assert (len(begins), len(ends)) == (4, 2)
    _, (first, last), _ = plain(folder, question, context, answer)
    return sorted(set(begins - first)), sorted(set(ends - last))


@pytest.mark.parametrize("family", BOTH)
@pytest.mark.parametrize(
    ("context", "answer", "expected"),
    [
        ("The man met Sikh and Muslim men", "Sikh", ([0], [0])),
        ("The man met a Sikh and Muslim men", "Sikh", ([-1, 0], [0])),
        ("The man met The Sikh men.", "Sikh", ([-1, 0], [0, 1])),
        ("A Sikh man met a Muslim.", "Sikh", ([-1, 0], [0, 1])),  # also where the context begins
        ("A Sikh man met a Muslim.", "Muslim", ([-1, 0], [0, 1])),
        ("A group of Sikh men", "Sikh", ([-3, -2, -1, 0], [0, 1])),
        ("The man met a team of Sikh and", "Sikh", ([-3, -2, -1, 0], [0])),
        ("The man met a couple of New Zealand men", "New Zealand", ([-3, -2, -1, 0], [0, 1])),
        ("The man met the group of Sikh Man", "Sikh", ([0], [0])),  # behind, small letters only
        ("Sikh", "Sikh", ([0], [0])),  # a special token on either side
        ("The man saw Sika Sikh Sika", "Sikh", ([0], [0])),  # whose last token is no article
    ],
)
def test_words_around_an_answer_that_count(model_folder, family, context, answer, expected):
    assert around(model_folder(family), context, answer) == expected


def test_the_words_that_count_are_those_of_the_stimuli(model_folder):
    planner = planning.Planner(tokenizer_of(model_folder("bert-extractive")), 64, False)
    texts, spans = stimuli([(WHO, "The man met a Sikh people", "Sikh")])
    fillers, roles = {slot: tuple(np.array(places).T) for slot, places in spans.items()}, {slot: slot for slot in spans}

    def positions(before, behind):
        words = {"before": before, "behind": behind}
        return planner.add(np.arange(1), texts, ["span_released"], fillers, roles, words=words).requests["position"]

    without_spans = positions([], []).to_pylist()
    assert len(set(without_spans)) == 1
    moved = np.array(positions([[["met"], ["the", "a"]]], ["people"]).to_pylist()) - without_spans
    assert moved.tolist() == [0, -2, -1, 0, 0, 1]
    with refused("around", "4", "3"):
        positions([[["a"]] * 4], [])
    with refused(None, "'span_released'", "'around'"):
        planner.add(np.arange(1), texts, ["span_released"], fillers, roles)


def test_words_of_the_next_sentence_do_not_count(model_folder):
    """As of a tokenizer that puts nothing behind a pair."""
    from tokenizers import processors

    tokenizer = transformers.AutoTokenizer.from_pretrained(model_folder("bert-extractive"))
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(single="$A", pair="$A $B:1")
    texts, spans = stimuli([("Who", "Sikh", "Sikh"), ("men saw", "man met men", "men")])
    fillers = {slot: tuple(np.array(bounds).T) for slot, bounds in spans.items()}
    planner = planning.Planner(tokenizer, 64, False)
    roles = {slot: slot for slot in spans}
    block = planner.add(np.arange(2), texts, ["span_released"], fillers, roles, words=AROUND)
    assert block.requests["position"].to_pylist() == [1] * 6 + [4] * 6


def test_combine_by_hand():
    p = np.array([0.1, 0.4, 0.2, 0.3, 0.1, 0.9, 0.5, 0.5, 0.5, 0.5, 0.25, 0.125])
    expected = [np.log(np.sqrt(0.4 * 0.9)), np.nan, np.log(np.sqrt(0.5 * 0.25))]
    np.testing.assert_allclose(quantities.combine(np.log(p), np.array([6, 0, 6]), "span_released"), expected)
    np.testing.assert_allclose(quantities.combine(np.log(p[:2]), np.array([2, 0]), "span"), [np.log(0.2), np.nan])
    assert np.isnan(quantities.combine(np.empty(0), np.array([0, 0]), "span_released")).all()


# --- the plan ---


def plan(folder, texts, spans, wanted, order=slice(None), blocks=1, max_tokens=64, roles=None):
    planner = planning.Planner(tokenizer_of(folder), max_tokens, False)
    rows = np.arange(len(texts))[order]
    roles = {slot: slot for slot in spans} if roles is None else roles

    def add(some):
        fillers = {slot: tuple(np.array(bounds)[some].T) for slot, bounds in spans.items()}
        return planner.add(some, [texts[i] for i in some], wanted, fillers, roles, words=AROUND)

    return planning.joined(add(some) for some in np.array_split(rows, blocks))


def test_both_answers_to_a_question_share_one_input(model_folder):
    cases = [(WHO, MET, "Sikh"), (WHO, MET, "Muslim")]
    block = plan(model_folder("bert-extractive"), *stimuli(cases), ["span", "span_released"], blocks=2)
    assert len(block.inputs) == 1
    assert block.sentences["n_requests"].to_pylist() == [2, 6, 2, 6]
    assert block.sentences["n_tokens"].to_pylist() == [1, 1, 1, 1]
    assert len(block.requests) == 16


@pytest.mark.parametrize("family", EXTRACTIVE)
def test_a_pair_is_that_of_the_tokenizer(model_folder, family):
    folder = model_folder(family)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    texts, spans = stimuli(CASES)
    encoded, n_second = tokenization.encode_pairs(tokenizer, texts, np.array(spans["question"])[:, 1])
    for row, (question, context, _) in enumerate(CASES):
        row_tokens = slice(*encoded.starts[row : row + 2])
        pair = tokenizer(question, context, return_special_tokens_mask=True)
        assert encoded.token_ids[row_tokens].tolist() == pair["input_ids"]
        assert n_second[row] == sum(pair.get("token_type_ids", [0]))
        assert encoded.is_special[row_tokens].tolist() == [bool(mark) for mark in pair["special_tokens_mask"]]
        covered = [texts[row][a:b] for a, b in encoded.spans[row_tokens]]
        tokens = tokenizer.convert_ids_to_tokens(pair["input_ids"])
        expected = [token.removeprefix("##").removeprefix("Ġ") for token in tokens]
        assert covered == [
            "" if mark else token for token, mark in zip(expected, encoded.is_special[row_tokens], strict=True)
        ]


def test_types_of_tokens_that_cannot_be_counted_are_refused(model_folder):
    from tokenizers import processors

    tokenizer = transformers.AutoTokenizer.from_pretrained(model_folder("bert-extractive"))
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="$A", pair="[CLS]:2 $A:0 $B:1", special_tokens=[("[CLS]", tokenizer.cls_token_id)]
    )
    with refused(None, "0", "1"):
        tokenization.encode_pairs(tokenizer, ["Who? Sikh men"], np.array([4]))


def test_pairs_are_never_tokenized_by_a_file_alone(model_folder, tmp_path):
    """transformers makes of pairs what its class says, whatever the file says."""
    folder = shutil.copytree(model_folder("bert-extractive"), tmp_path / "other")
    content = json.loads((folder / "tokenizer.json").read_text())
    content["post_processor"]["pair"] = content["post_processor"]["pair"][:-1]
    (folder / "tokenizer.json").write_text(json.dumps(content))
    expected = transformers.AutoTokenizer.from_pretrained(folder)(WHO, MET)["input_ids"]
    ends = np.array([len(WHO)])

    def tokens(pairs):
        return tokenization.encode_pairs(tokenizer_files.load(folder, "m", pairs), [f"{WHO} {MET}"], ends)[0].token_ids

    assert tokens(pairs=False).tolist() != expected
    assert tokens(pairs=True).tolist() == expected


def digest(token_ids, **salted):
    return hashlib.blake2b(np.array(token_ids, dtype=np.int32), digest_size=16, **salted).digest()


def test_the_digest_of_a_single_text_says_nothing_of_types(model_folder):
    texts = ["Who was rude?", "The Sikh man was rude to the tourists."]
    inputs = plan(model_folder("bert-extractive"), texts, {}, ["aul", "aula", "aul_padded"]).inputs.to_pylist()
    assert {(model_input["n_padding"] > 0, model_input["with_attention"]) for model_input in inputs} == {
        (0, 0),
        (1, 0),
        (0, 1),
    }
    for model_input in inputs:
        person = b"with attention" if model_input["with_attention"] else b""
        assert model_input["n_second"] == 0
        assert model_input["digest"] == digest(
            model_input["token_ids"], person=person, salt=model_input["n_padding"].to_bytes(4)
        )


def test_the_digest_of_a_pair_tells_its_types(model_folder):
    inputs = plan(model_folder("bert-extractive"), *stimuli(CASES[:1]), ["span"]).inputs.to_pylist()
    assert inputs[0]["n_second"] > 0
    assert inputs[0]["digest"] != digest(inputs[0]["token_ids"], salt=bytes(4))
    # the same tokens, of another place where the context begins
    planner = planning.Planner(loading.load_tokenizer(model_folder("bert-extractive"), "m"), 64, False)
    ids, none = np.array([inputs[0]["token_ids"]] * 3, dtype=np.int32), np.zeros(3, dtype=np.int32)
    numbers, _ = planner._number(ids, none, np.array([5, 6, 5], dtype=np.int32), none, False)
    assert numbers.tolist() == [0, 1, 0]


def test_a_masked_slot_sees_a_question_like_any_other_words(model_folder):
    texts, spans = stimuli(CASES)
    asked = plan(model_folder("bert"), texts, {"asked": spans["asked"]}, ["slot"])
    with_question = plan(model_folder("bert"), texts, spans, ["slot"])
    assert with_question.inputs["digest"].to_pylist() == asked.inputs["digest"].to_pylist()
    assert with_question.requests.equals(asked.requests)


# --- what must not change a score ---


def values_of(model, block, n_parts=1, pass_tokens=None):
    """By sentence, where input i is answered in part i mod n."""
    values = np.full(len(block.requests), np.nan)
    for part in range(n_parts):
        inputs, requests = (
            table.filter(pa.array(table["input"].to_numpy() % n_parts == part))
            for table in (block.inputs, block.requests)
        )
        values[requests["request"].to_numpy()] = answering.answer(model, "cpu", inputs, requests, "t", pass_tokens)
    scores = quantities.gather(values, block.sentences).to_pandas()
    return scores.set_index("sentence_id")["value"].sort_index().to_numpy()


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("family", mostly_nightly(EXTRACTIVE, "bert-extractive"))
@pytest.mark.parametrize("quantity", ["span", "span_released"])
@pytest.mark.slow
def test_neither_order_nor_shard_nor_pass_changes_a_bit(model_folder, family, dtype, quantity):
    folder = model_folder(family)
    model = answering.place(loading.load(folder, "extractive", dtype, "m"), "cpu")
    persons = ("Sikh", "Muslim", "Fijian", "Inuit", "man", "New Zealand")
    cases = [(who, f"The {a} met the {b} of Lima.", a) for who in (WHO, WHO_NOT) for a in persons for b in persons]
    texts, spans = stimuli(cases)
    expected = values_of(model, plan(folder, texts, spans, [quantity]))
    for seed, (blocks, n_parts, pass_tokens) in enumerate([(1, 2, 1), (4, 1, 40), (3, 5, 64), (7, 9, 600)]):
        order = np.random.default_rng(seed).permutation(len(texts))
        again = plan(folder, texts, spans, [quantity], order, blocks)
        np.testing.assert_array_equal(values_of(model, again, n_parts, pass_tokens), expected)
    for row in (0, 9, 40):
        alone = plan(folder, texts, spans, [quantity], slice(row, row + 1))
        np.testing.assert_array_equal(values_of(model, alone), expected[row : row + 1])


def test_the_softmax_of_lower_precisions_is_in_float32(model_folder):
    folder = model_folder("bert-extractive")
    model = answering.place(loading.load(folder, "extractive", "bfloat16", "m"), "cpu")
    block = plan(folder, *stimuli(CASES[:1]), ["span"])
    ids = torch.tensor(block.inputs["token_ids"].to_pylist() * 64)
    with torch.inference_mode():
        logits = loading.span_logits(model, ids, torch.full((64,), block.inputs["n_second"][0].as_py()))
    log_p = torch.log_softmax(logits[0].double(), dim=0)
    expected = [log_p[request["position"], request["target"]].item() for request in block.requests.to_pylist()]
    np.testing.assert_allclose(answering.answer_all(model, "cpu", block, "t"), expected, rtol=1e-6)


def test_a_pass_too_large_for_the_memory_is_halved(model_folder, monkeypatch):
    folder = model_folder("bert-extractive")
    model = answering.place(loading.load(folder, "extractive", "float32", "m"), "cpu")
    block = plan(folder, *stimuli(CASES), ["span"])
    expected, forward, passes = values_of(model, block), answering.span_logits, []

    def small_memory(model, token_ids, n_second):
        if token_ids.numel() > 64:
            raise torch.OutOfMemoryError
        passes.append(len(token_ids))
        return forward(model, token_ids, n_second)

    monkeypatch.setattr(answering, "_LEAST_ROWS_CPU", 1)
    monkeypatch.setattr(answering, "span_logits", small_memory)
    np.testing.assert_allclose(values_of(model, block, pass_tokens=1000), expected, rtol=1e-5)
    assert max(passes) == 2


def test_answers_so_far_are_given_on_the_way(model_folder, monkeypatch):
    monkeypatch.setattr(answering, "_KEEP_AFTER", 0)
    monkeypatch.setattr(answering, "_KEEP_SHARE", 0)
    folder = model_folder("bert-extractive")
    model = answering.place(loading.load(folder, "extractive", "float32", "m"), "cpu")
    block, kept = plan(folder, *stimuli(CASES), ["span_released"]), []
    whole = answering.answer(model, "cpu", block.inputs, block.requests, "t", 64, kept.append)
    known = [np.isfinite(so_far) for so_far in kept]
    assert 0 < known[0].sum() < known[-1].sum() == len(whole)
    for so_far, is_known in zip(kept, known, strict=True):
        np.testing.assert_array_equal(so_far[is_known], whole[is_known])


# --- number format and size of a pass ---


def test_the_change_of_a_number_format_is_that_of_the_score(model_folder):
    folder = model_folder("bert-extractive")
    block = plan(folder, *stimuli(CASES), ["span", "span_released"])

    def load(dtype):
        return answering.place(loading.load(folder, "extractive", dtype, "m"), "cpu")

    accepted = {"max": 100, "mean": 100}
    _, changes = tuning.choose_dtype(tuning.means(load, "cpu", block, "m"), "bfloat16", "cpu", accepted, "m")
    scores = [
        quantities.gather(answering.answer_all(load(dtype), "cpu", block, "t"), block.sentences)["value"].to_numpy()
        for dtype in ("float32", "bfloat16")
    ]
    change = np.abs(scores[1] - scores[0])
    assert change.max() > 0
    assert changes["bfloat16"] == {"max": pytest.approx(change.max()), "mean": pytest.approx(change.mean())}
    values = score(folder, "span", dtype="bfloat16") if change.max() < 0.05 else scores[1][: len(CASES)]
    np.testing.assert_array_equal(values, scores[1][: len(CASES)])


# --- what is refused ---


@pytest.mark.parametrize(
    ("kind", "quantity", "fault"),
    [
        ("extractive", "aul", ("'aul'", "masked or seq2seq")),
        ("masked", "span", ("'span'", "extractive")),
        ("causal", "span_released", ("'span_released'", "extractive")),
    ],
)
def test_a_quantity_that_a_kind_cannot_give_is_refused(model_folder, kind, quantity, fault):
    with refused("bert-extractive0", kind, *fault):
        herbarium.score(["x"], model_folder("bert-extractive"), quantity, kind=kind)


@pytest.mark.parametrize("quantity", ["span", "span_released"])
def test_a_span_without_its_slots_is_refused(model_folder, quantity):
    folder, (texts, spans) = model_folder("bert-extractive"), stimuli(CASES)
    with refused(None, "'question'"):
        plan(folder, texts, {"asked": spans["asked"]}, [quantity])
    with refused(None, "'asked'", "'question'"):
        plan(folder, texts, {"question": spans["question"]}, [quantity])
    for start in (1, -1):
        spans["question"][3] = (start, 5)
        with refused(None, "'question'", WHO[:19]):
            plan(folder, texts, spans, [quantity])


@pytest.mark.parametrize(
    ("question", "context", "answer", "note"),
    [
        (WHO, "The man of Лима", "Лима", "refused: the tokenizer knows no part of the asked, only [UNK]"),
        ("Кто", "The man of Lima", "Lima", "refused: the tokenizer knows no part of the question, only [UNK]"),
        (WHO, "The man of New Лима", "New Лима", "the tokenizer knows only a part of the asked, the rest is [UNK]"),
        (WHO, "The man of \u0007", "\u0007", "refused: the tokenizer turns the asked into nothing"),
        (WHO, "The man of Lima " * 20, "Lima", "refused: 90 tokens, the model takes 64"),
        (WHO, "The man of Lima", "Lima", None),
    ],
)
def test_what_cannot_be_scored_has_a_note(model_folder, question, context, answer, note):
    block = plan(model_folder("bert-extractive"), *stimuli([(question, context, answer)]), ["span_released"])
    assert block.sentences["note"].to_pylist() == [note]
    is_refused = (note or "").startswith("refused")
    assert (len(block.inputs), len(block.requests)) == ((0, 0) if is_refused else (1, 6))


def test_a_sentence_without_an_answer_has_no_score(model_folder):
    texts, spans = stimuli(CASES)
    spans["asked"][2] = (-1, -1)
    block = plan(model_folder("bert-extractive"), texts, spans, ["span"])
    notes = block.sentences["note"].to_pylist()
    assert notes[2] == "refused: nothing in the sentence is asked for"
    assert notes[:2] + notes[3:] == [None] * (len(CASES) - 1)
    values = herbarium.score(texts, model_folder("bert-extractive"), "span", kind="extractive", spans=spans)
    np.testing.assert_array_equal(np.delete(values, 2), np.delete(score(model_folder("bert-extractive"), "span"), 2))
    assert np.isnan(values.iloc[2])


def test_lower_casing_keeps_question_and_answer_apart(model_folder):
    # İ becomes two characters when lowered, so everything behind it moves
    folder = model_folder("bert-extractive")
    planner = planning.Planner(loading.load_tokenizer(folder, "m"), 64, lowercase=True)

    def planned(question, context, answer):
        texts, spans = stimuli([(question, context, answer)])
        fillers = {slot: tuple(np.array(bounds).T) for slot, bounds in spans.items()}
        return planner.add(np.arange(1), texts, ["span"], fillers, {slot: slot for slot in spans})

    first = planned("İİ Who was RUDE?", "The men of MET met rude men", "met")
    again = planned("İİ Who was RUDE?".lower(), "the men of met met rude men", "met")
    assert len(first.inputs) == 1
    assert not len(again.inputs)
    positions = [side.requests["position"].to_pylist() for side in (first, again)]
    assert positions[0][0] == positions[1][0] + 1  # "MET" is the first "met" once it is lowered
