"""Alignment of two models: the rotation, what it is fitted to, and the model that holds it."""

import copy

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm, orthogonal_procrustes
from tests.conftest import families
from tests.refusals import refused

from herbarium.models import loading, saving
from herbarium.training import alignment, word_alignment

FOLDABLE = ["bert", "distilbert", "albert", "roberta", "xlm-roberta", "camembert"]
D = 24  # of the tiny models
TEXTS = [
    *("People in Peru are weak.", "Saint Kitts and Nevis", "The cat sat on the mat, and was loud."),
    *("People in Xi’an are hard-working.", "Lima, Cusco", "The cat in Ottawa was shy; the people were not."),
]


def is_orthogonal(W):
    return np.allclose(W @ W.T, np.eye(len(W)), atol=1e-12)


def load(folder):
    return loading.load(folder, "masked", "float32", "m"), loading.load_tokenizer(folder, "m")


def side(folder, texts, max_tokens=64):
    model, tokenizer = load(folder)
    return alignment.Side(model, tokenizer, max_tokens, texts, list(map(word_alignment.words, texts)))


def each_to_each(one, other):
    """Both sides with all words of a text beside all of its translation."""
    pairs = [[(a, b) for a in words for b in others] for words, others in zip(one.words, other.words, strict=True)]
    return [side._replace(words=[[pair[k] for pair in pair] for pair in pairs]) for k, side in enumerate((one, other))]


# --- the rotation ---


@given(st.integers(1, 8), st.integers(0, 10**6))
@settings(max_examples=50)
def test_the_rotation_is_scipys_and_no_other_is_better(d, seed):
    random = np.random.default_rng(seed)
    x, y = random.standard_normal((2, d + 5, d))
    W = alignment.procrustes(x.T @ y, len(x))
    assert is_orthogonal(W)
    assert np.allclose(W, orthogonal_procrustes(x, y)[0], atol=1e-8)
    far = np.linalg.norm(x @ W - y)
    for other in range(10):
        turn = alignment.random_orthogonal(d, other)
        assert np.linalg.norm(x @ turn - y) >= far - 1e-9
        near = W @ expm(1e-3 * (turn - turn.T))
        assert np.linalg.norm(x @ near - y) >= far - 1e-9


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_rotation_is_found_again(dtype):
    x = np.random.default_rng(1).standard_normal((40, 7)).astype(dtype)
    W = alignment.random_orthogonal(7, 2)
    result = alignment.procrustes((x.T @ (x @ W)).astype(np.float64), len(x))
    assert np.allclose(result, W, atol=1e-6)


def test_too_few_pairs_give_no_rotation():
    with refused(None, "2", "3"):
        alignment.procrustes(np.ones((3, 3)), 2)


def test_random_matrices_are_orthogonal_and_of_their_seed():
    W = alignment.random_orthogonal(5, 3)
    assert is_orthogonal(W)
    assert np.array_equal(W, alignment.random_orthogonal(5, 3))
    assert not np.allclose(W, alignment.random_orthogonal(5, 4))


def test_no_random_matrix_is_likelier_than_another():
    """Of Haar's distribution the trace has mean 0 and variance 1, and half of the matrices are reflections (4 s.e.)."""
    n = 1_000
    drawn = np.array([alignment.random_orthogonal(4, seed) for seed in range(n)])
    traces = np.trace(drawn, axis1=1, axis2=2)
    assert abs(traces.mean()) < 4 / np.sqrt(n)
    assert abs(traces.var() - 1) < 4 * np.sqrt(2 / n)
    assert abs((np.linalg.det(drawn) > 0).mean() - 0.5) < 4 * np.sqrt(0.25 / n)


# --- words in context ---


@pytest.mark.parametrize(("of_x", "of_y"), [("bert", "roberta"), ("albert", "distilbert"), ("xlm-roberta", "bert")])
@pytest.mark.parametrize("batch", [256, 1])
def test_words_are_the_means_of_their_tokens(of_x, of_y, batch, model_folder, monkeypatch):
    """Against one text after the other, and the characters of each token."""
    monkeypatch.setattr(alignment, "_BATCH", batch)
    sides = [side(model_folder(of_x), TEXTS), side(model_folder(of_y), TEXTS[::-1])]
    sides = each_to_each(*sides)
    result = alignment.anchors(*sides)
    n_pieces = 0
    for one, rows in zip(sides, result, strict=True):
        expected = []
        for text, words in zip(one.texts, one.words, strict=True):
            encoding = one.tokenizer(text, return_offsets_mapping=True, return_special_tokens_mask=True)
            with torch.no_grad():
                states = one.model.base_model(torch.tensor([encoding["input_ids"]])).last_hidden_state[0].numpy()
            for begin, end in words:
                tokens = [
                    k
                    for k, (a, b) in enumerate(encoding["offset_mapping"])
                    if a < end and b > begin and not encoding["special_tokens_mask"][k]
                ]
                n_pieces += len(tokens) > 1
                expected.append(states[tokens].mean(axis=0))
        assert rows.dtype == np.float32
        assert np.allclose(rows, expected, atol=1e-5)
    assert n_pieces


def test_texts_that_are_too_long_and_words_without_tokens_are_left_out(model_folder):
    texts = ["People in Peru are weak.", "cat \x00 mat", "Lima"]
    people = word_alignment.words(texts[0])[1:3]
    one = side(model_folder("bert"), texts)._replace(words=[people, [(0, 3), (6, 9), (4, 5), (6, 9)], [(0, 4)]])
    other = one._replace(words=[people, [(0, 3), (6, 9), (0, 3), (4, 5)], [(0, 4)]])
    short = one._replace(max_tokens=min(len(one.tokenizer(texts[0]).input_ids) - 1, 64))
    whole = alignment.anchors(one, other)[0]
    assert len(whole) == 2 + 2 + 1  # the control character is no token
    x, y = alignment.anchors(short, other)
    assert np.allclose(x, whole[2:], atol=1e-5)
    assert all((a == b).all() for a, b in zip(alignment.anchors(other, short), (y, x), strict=True))
    assert [len(anchor) for anchor in alignment.anchors(one, other._replace(max_tokens=1))] == [0, 0]
    with refused(None, "0", "24"):
        alignment.fit(one, other._replace(max_tokens=1), "m")
    with refused(None, "number of texts"):
        alignment.fit(one, other._replace(words=other.words[:2]), "m")


@pytest.mark.parametrize("at_once", [1000, 7])
def test_the_rotation_between_two_models_is_found(at_once, model_folder, monkeypatch):
    """The other model is this one, its hidden states turned."""
    monkeypatch.setattr(alignment, "_AT_ONCE", at_once)
    one, other = (side(model_folder("bert"), TEXTS * 4) for _ in range(2))
    W = alignment.random_orthogonal(D, 5)
    turn(other.model, W)
    result, text = alignment.fit(one, other, "m")
    assert np.allclose(result, W, atol=1e-3)
    assert text["n_pairs"] == sum(len(words) for row, words in enumerate(one.words) if row % 10 != 9)
    assert text["held_out_cosine"] > 0.999 > text["held_out_cosine_before"]
    few, text = alignment.fit(*(side(model_folder("bert"), TEXTS) for _ in range(2)), "m")
    assert np.allclose(few, np.eye(D), atol=1e-3)
    assert (text["held_out_cosine"], text["held_out_cosine_before"]) == (None, None)
    assert np.array_equal(alignment.as_table(result)["weights"].tolist(), result.tolist())


def test_models_of_other_sizes_are_refused(model_folder):
    one = side(model_folder("bert"), TEXTS)
    wide = copy.copy(one.model.config)
    wide.hidden_size = 32
    other = one._replace(model=type(one.model)(wide).eval())
    with refused(None, "24", "32"):
        alignment.fit(one, other, "m")


# --- the model that holds it ---


def turn(model, W):
    """From now on the head of a model sees its hidden states times W."""

    def turned(module, inputs, output):
        output.last_hidden_state = output.last_hidden_state @ torch.tensor(W, dtype=torch.float32)
        return output

    model.base_model.register_forward_hook(turned)


def logits(model, tokenizer, text=TEXTS[2]):
    with torch.no_grad():
        return model(torch.tensor([tokenizer(text).input_ids])).logits


def tensors(model):
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


@pytest.mark.parametrize("family", FOLDABLE)
def test_the_folded_model_is_the_model_with_its_hidden_states_turned(family, model_folder, tmp_path):
    model, tokenizer = load(model_folder(family))
    W = alignment.random_orthogonal(D, 6)
    before, plain = tensors(model), logits(model, tokenizer)
    made = alignment.folded(model, W)
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())
    turned = logits(made, tokenizer)
    saving.save(tmp_path, made, tokenizer)
    turn(model, W)
    expected = logits(model, tokenizer)
    assert torch.allclose(turned, expected, atol=1e-4)
    assert not torch.allclose(expected, plain, atol=1e-1)
    read, _ = load(tmp_path)
    assert torch.equal(logits(read, tokenizer), turned)
    assert type(read) is type(model)

    # one tensor of the head has changed, and no bit of another, least of all of the trunk
    (changed,) = {name for name, tensor in read.state_dict().items() if not torch.equal(tensor, before[name])}
    assert changed.endswith(alignment._FIRST_LAYERS[model.config.model_type] + ".weight")
    assert made.get_output_embeddings().weight is made.get_input_embeddings().weight


@pytest.mark.parametrize("family", FOLDABLE)
def test_no_turn_changes_nothing(family, model_folder):
    model, _ = load(model_folder(family))
    before = tensors(model)
    made = alignment.folded(model, np.eye(D)).state_dict()
    assert made.keys() == before.keys()
    assert all(torch.equal(tensor, before[name]) for name, tensor in made.items())


def test_a_turn_and_its_inverse_are_none(model_folder):
    model, tokenizer = load(model_folder("bert"))
    W = alignment.random_orthogonal(D, 7)
    assert torch.allclose(
        logits(alignment.folded(alignment.folded(model, W), W.T), tokenizer), logits(model, tokenizer), atol=1e-4
    )


@pytest.mark.parametrize("family", [other for other in families("masked") if other not in FOLDABLE])
def test_other_heads_cannot_be_folded(family, model_folder):
    model, _ = load(model_folder(family))
    with refused(type(model).__name__, "albert", "bert", "xlm-roberta"):
        alignment.folded(model, np.eye(D))


def test_a_trunk_without_a_head_and_a_matrix_of_another_size(model_folder):
    model, _ = load(model_folder("bert"))
    with refused("BertModel"):
        alignment.folded(model.base_model, np.eye(D))
    with refused(None, "24", "23×23"):
        alignment.folded(model, np.eye(23))
