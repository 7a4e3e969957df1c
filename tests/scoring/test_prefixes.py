"""Inputs of causal models that are cut: the same scores, to rounding, and the same bits whatever stands beside."""

import json
import shutil

import numpy as np
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import FAMILIES, families, mostly_nightly, mostly_slow, tokenizer_of
from tests.models import tried, zoo
from tests.scoring.test_answering import plain

import herbarium
from herbarium.models import loading, prefixes, starts
from herbarium.scoring import answering, planning, quantities
from herbarium.training import untrained

PLACES = ["Peru", "New Zealand", "Saint Kitts and Nevis", "Xi’an", "Lima", "Fiji"]
WORDS = ["weak", "hard-working", "wise and loud", "shy", "loud, and the cat in the mat was wise", "weaker"]
FRAMES = ["People in {} are ", "The people in {}, and the cat in the mat, were ", "In {} "]
TEXTS = [frame.format(place) + word + "." for frame in FRAMES for place in PLACES for word in WORDS]
WORD_AT = np.array(
    [
        (len(frame.format(place)), len(frame.format(place)) + len(word))
        for frame in FRAMES
        for place in PLACES
        for word in WORDS
    ]
)
# that can be cut, and that cannot
FEW = ("GPTJForCausalLM", "Gemma3ForCausalLM", "MambaForCausalLM", "OPTForCausalLM", "XGLMForCausalLM")
CAUSAL_TWINS = [name for name, twin in tried.TWINS.items() if twin.kind == "causal"]


def plan_of(folder, rows, quantity="ll", cuts=True):
    tokenizer = tokenizer_of(folder)
    start = starts.describe(tokenizer, folder, {"kind": "causal", "chat_template": None, "start": None}, "m")
    planner = planning.Planner(tokenizer, 64, False, None, start, cuts)
    bounds = {"word": tuple(WORD_AT[rows].T)}
    return planner.add(np.asarray(rows), [TEXTS[row] for row in rows], [quantity], bounds, {"word": "asked"})


def values_of(model, plan, pass_tokens=None):
    answers = np.empty(len(plan.requests))
    found = answering.answer(model, "cpu", plan.inputs, plan.requests, "t", pass_tokens)
    answers[plan.requests["request"].to_numpy()] = found
    return quantities.gather(answers, plan.sentences)["value"].to_numpy()


def placed(folder, dtype="float32"):
    return answering.place(loading.load(folder, "causal", dtype, "m"), "cpu")


@pytest.fixture(scope="module")
def twin_folder(tmp_path_factory):
    made = {}

    def make(name):
        if name not in made:
            made[name] = tmp_path_factory.mktemp("twin")
            tried.write(made[name], name)
        return made[name]

    return make


@pytest.mark.parametrize("quantity", ["mean_ll", "ll_asked"])
@pytest.mark.parametrize("name", mostly_slow(CAUSAL_TWINS, "Llama 3"))
def test_a_cut_input_has_the_score_of_the_whole(twin_folder, name, quantity):
    folder, rows = twin_folder(name), np.arange(len(TEXTS))
    model = placed(folder)
    assert prefixes.able(model)
    cut, whole = (plan_of(folder, rows, quantity, cuts) for cuts in (True, False))
    assert (cut.inputs["n_prefix"].to_numpy() > 0).mean() > 0.4
    assert not whole.inputs["n_prefix"].to_numpy().any()
    np.testing.assert_allclose(values_of(model, cut), values_of(model, whole), rtol=0, atol=5e-6)


@pytest.mark.parametrize("family", families("causal"))
def test_of_the_families_that_are_not_tried_inputs_can_be_cut(model_folder, family):
    assert prefixes.able(placed(model_folder(family)))


@pytest.mark.parametrize("name", mostly_slow(["Gemma 3", "Llama 3", "GPT-NeoX, Pythia"], "Llama 3"))
@given(data=st.data())
@settings(max_examples=6, deadline=None)
@pytest.mark.slow
def test_neighbours_order_passes_and_shards_change_no_bit(twin_folder, name, data):
    folder = twin_folder(name)
    model = placed(folder)
    expected = values_of(model, plan_of(folder, np.arange(len(TEXTS))))
    rows = data.draw(st.lists(st.sampled_from(range(len(TEXTS))), min_size=1, max_size=12, unique=True))
    pass_tokens = data.draw(st.sampled_from([None, 64, 200]))
    np.testing.assert_array_equal(values_of(model, plan_of(folder, rows), pass_tokens), expected[rows])


@pytest.mark.slow
@pytest.mark.parametrize("family", ["gpt2", "llama"])
@pytest.mark.parametrize("positions", [52, 61])
def test_what_fills_an_input_up_has_no_position(tmp_path, family, positions):
    """Up to the last position that a model has: with a table of them, one more is an error."""
    _, make_tokenizer, architecture, sizes = FAMILIES[family]
    make_tokenizer(tmp_path)
    tokenizer = loading.load_tokenizer(tmp_path, "m")
    key = "n_positions" if family == "gpt2" else "max_position_embeddings"
    untrained.model(architecture, sizes | {key: positions}, len(tokenizer), 0, "m").save_pretrained(tmp_path)
    random, words = (
        np.random.default_rng(0),
        ["People", "in", "Peru", "are", "weak,", "and", "the", "cat", "in", "the", "mat", "was", "wise"],
    )
    texts, at = [], []
    for n_behind in (1, 2, 3, 5, 8):
        text = " ".join(random.choice(words, positions))
        while len(tokenizer(text).input_ids) >= positions:
            text = text.rpartition(" ")[0]
        texts.append(text)
        at.append((len(" ".join(text.split()[:-n_behind])) + 1, len(text)))
    model = herbarium.load(tmp_path, kind="causal")
    marked = model.score(texts, "mean_ll", spans={"asked": at})
    np.testing.assert_allclose(marked, [plain(tmp_path, "causal", text, "mean_ll") for text in texts], atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.slow
def test_alone_no_bit_changes(twin_folder, dtype):
    folder = twin_folder("SmolLM2")
    model = placed(folder, dtype)
    among = values_of(model, plan_of(folder, np.arange(len(TEXTS))))
    alone = [values_of(model, plan_of(folder, [row]))[0] for row in range(0, len(TEXTS), 7)]
    np.testing.assert_array_equal(alone, among[::7])


def test_what_is_asked_of_a_prefix_and_of_the_rest_has_the_same_bits_when_asked_alone(twin_folder):
    folder = twin_folder("Llama 3")
    model, plan = placed(folder), plan_of(folder, np.arange(len(TEXTS)))
    expected = answering.answer(model, "cpu", plan.inputs, plan.requests, "t")
    cut = plan.inputs.filter(pc.greater(plan.inputs["n_prefix"], 0))
    for inputs in (cut, plan.inputs.filter(pc.equal(plan.inputs["n_prefix"], 0)), cut.slice(3, 2)):
        of_them = pc.is_in(plan.requests["input"], inputs["input"].combine_chunks())
        alone = answering.answer(model, "cpu", inputs, plan.requests.filter(of_them), "t")
        np.testing.assert_array_equal(alone, expected[of_them.to_numpy(zero_copy_only=False)])


def test_each_prefix_is_computed_once(twin_folder, monkeypatch):
    folder, begun = twin_folder("Llama 3"), []
    model, plan = placed(folder), plan_of(folder, np.arange(len(TEXTS)))
    assert prefixes.able(model)  # which is tried by beginning something
    begin = prefixes.begin

    def watched(model, token_ids, kept, n):
        begun.append(n)
        return begin(model, token_ids, kept, n)

    monkeypatch.setattr(prefixes, "begin", watched)
    values_of(model, plan)
    cut = [row for row in plan.inputs.to_pylist() if row["n_prefix"]]
    assert sum(begun) == len({tuple(row["token_ids"][: row["n_prefix"]]) for row in cut}) < len(cut) / 2


def test_an_input_ends_before_the_last_token_that_is_asked_for(twin_folder):
    folder = twin_folder("Llama 3")
    plan = plan_of(folder, [0], "ll_asked", cuts=False)
    token_ids = tokenizer_of(folder)(TEXTS[0]).input_ids
    (row,) = plan.inputs.to_pylist()
    n_before = len(tokenizer_of(folder)(TEXTS[0][: WORD_AT[0, 0] - 1]).input_ids)
    assert row["token_ids"] == token_ids[: len(row["token_ids"])]
    assert plan.requests["position"].to_pylist() == list(range(n_before - 1, len(row["token_ids"])))


def test_answers_of_one_token_share_their_input(twin_folder):
    """Letters after a question, or yes and no: nothing stands behind the question."""
    folder, question = twin_folder("Llama 3"), "Is the cat in the mat? Answer:"
    texts, at = [f"{question} {answer}" for answer in "abc"], len(question)
    planner = planning.Planner(tokenizer_of(folder), 64, False, cuts=True)
    bounds = {"answer": (np.full(3, at + 1), np.full(3, at + 2))}
    plan = planner.add(np.arange(3), texts, ["ll_asked"], bounds, {"answer": "asked"})
    assert len(plan.inputs) == 1
    assert len(plan.requests) == 3


def test_a_served_model_is_given_whole_inputs(twin_folder):
    folder = twin_folder("Llama 3")
    planner = planning.Planner(tokenizer_of(folder), 64, False, whole=True)
    plan = planner.add(np.arange(1), TEXTS[:1], ["ll"])
    assert plan.inputs["token_ids"].to_pylist() == [tokenizer_of(folder)(TEXTS[0]).input_ids]


def test_few_prefixes_are_kept_at_a_time(twin_folder, monkeypatch):
    folder = twin_folder("Llama 3")
    model, plan = placed(folder), plan_of(folder, np.arange(len(TEXTS)))
    expected, most = values_of(model, plan), []
    go_on = prefixes.go_on

    def watched(model, kept, *others):
        most.append(kept.layers[0][0].shape[0])
        return go_on(model, kept, *others)

    monkeypatch.setattr(prefixes, "go_on", watched)
    monkeypatch.setattr(answering, "_KEPT_PASSES", 1)
    np.testing.assert_array_equal(values_of(model, plan, 64), expected)
    longest = max(plan.inputs["n_prefix"].to_pylist())
    assert max(most) <= 1 + 64 + longest


@pytest.mark.parametrize("architecture", mostly_nightly(zoo.ARCHITECTURES["causal"], *FEW))
@pytest.mark.slow
def test_every_architecture_is_cut_only_where_that_is_the_same(tmp_path, architecture):
    folder = zoo.write(tmp_path, architecture)
    model = herbarium.load(folder, kind="causal")
    texts, bounds = TEXTS[::5], WORD_AT[::5]
    marked = model.score(texts, "ll", spans={"asked": list(map(tuple, bounds))})
    np.testing.assert_allclose(marked, model.score(texts, "ll"), rtol=0, atol=2e-5)


@pytest.mark.parametrize("key", ["rope_type", "type"])
@pytest.mark.parametrize("scaling", ["dynamic", "longrope", "linear", None])
def test_a_model_whose_positions_depend_on_the_length_runs_whole(tmp_path, model_folder, key, scaling):
    shutil.copytree(model_folder("llama"), tmp_path / "m")
    config = json.loads((tmp_path / "m/config.json").read_text())
    config.pop("rope_parameters", None)
    half = config["hidden_size"] // config["num_attention_heads"] // 2
    factors = {"short_factor": [1.0] * half, "long_factor": [4.0] * half}
    if scaling:
        config["rope_scaling"] = {key: scaling, "factor": 2.0} | (factors if scaling == "longrope" else {})
    (tmp_path / "m/config.json").write_text(json.dumps(config))
    model = loading.load(tmp_path / "m", "causal", "float32", "m")
    assert prefixes.able(model) == (scaling not in ("dynamic", "longrope"))
    assert prefixes.scales_by_length(config) == (not prefixes.able(model))


@pytest.mark.slow
def test_a_model_that_keeps_states_instead_of_keys_and_values_runs_whole(tmp_path):
    folder = zoo.write(tmp_path, "MambaForCausalLM")
    assert not prefixes.able(loading.load(folder, "causal", "float32", "m"))
    model = herbarium.load(folder, kind="causal")
    marked = model.score(TEXTS, "ll", spans={"asked": list(map(tuple, WORD_AT))})
    np.testing.assert_array_equal(marked, model.score(TEXTS, "ll"))
