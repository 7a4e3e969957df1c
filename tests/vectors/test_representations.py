import numpy as np
import pytest
from tests.refusals import refused

from herbarium.models import loading
from herbarium.vectors import representations

NAMES = ["Peru", "New Zealand", "Canada", "Saint Kitts and Nevis", "Fiji", "Peru", "Xi’an"]
SENTENCES = ["The nurse in Peru waited.", "The nurse in Canada waited.", "Peru waited for the nurse."]


@pytest.fixture(params=["bert", "roberta", "bart", "gpt2"])
def loaded(request, model_folder):
    kind = {"bart": "seq2seq", "gpt2": "causal"}.get(request.param, "masked")
    folder = model_folder(request.param)
    return loading.load(folder, kind, "float32", "m"), loading.load_tokenizer(folder, "m")


def last(model):
    return lambda token_ids: loading.hidden_states(model, token_ids)[0][:, None]


def vectors(loaded, texts, bounds=None, states=last, **changes):
    model, tokenizer = loaded
    bounds = [(0, len(text)) for text in texts] if bounds is None else bounds
    limits = {"max_tokens": 64, "lowercase": False, **changes}
    table = representations.represent(states(model), tokenizer, "cpu", texts, bounds, **limits)
    return table, table["vector"].to_pylist()


def test_mean_of_the_last_hidden_states_of_the_names_own_tokens(loaded):
    import torch

    model, tokenizer = loaded
    table, result = vectors(loaded, NAMES)
    for name, vector, n_tokens in zip(NAMES, result, table["n_tokens"].to_pylist(), strict=True):
        one = tokenizer(name, return_special_tokens_mask=True, return_tensors="pt")
        special = one.pop("special_tokens_mask")[0].bool()
        trunk = model.base_model  # of BART, which shifts the decoder's input itself, as of the others
        with torch.inference_mode():
            states = trunk(input_ids=one["input_ids"]).last_hidden_state[0]
        assert n_tokens == (~special).sum()
        np.testing.assert_allclose(vector, states[~special].mean(dim=0), atol=1e-5)


def in_sentences():
    """Each sentence twice, once for each of two words, and where these begin and end."""
    asked = [(text, word) for text in SENTENCES for word in ("nurse", "waited")]
    return [text for text, _ in asked], [(text.index(word), text.index(word) + len(word)) for text, word in asked]


def test_every_layer_of_a_word_in_its_sentence(loaded):
    """Against transformers, a sentence at a time and without our tokenization."""
    import torch

    model, tokenizer = loaded
    texts, bounds = in_sentences()
    wanted = loading.layers(model, None, "s")
    table, result = vectors(loaded, texts, bounds, lambda table: lambda ids: loading.layer_states(table, ids, wanted))
    encoder = model.get_encoder() if model.config.is_encoder_decoder else model.base_model
    assert len(wanted) == model.config.num_hidden_layers + 1
    for text, (start, end), vector, n in zip(texts, bounds, result, table["n_tokens"].to_pylist(), strict=True):
        one = tokenizer(text, return_offsets_mapping=True, return_tensors="pt")
        spans = one["offset_mapping"][0]
        is_inside = (spans[:, 0] < end) & (spans[:, 1] > start)
        with torch.inference_mode():
            states = encoder(input_ids=one["input_ids"], output_hidden_states=True).hidden_states
        expected = np.stack([layer[0][is_inside].mean(dim=0).numpy() for layer in states])
        assert n == is_inside.sum()
        np.testing.assert_allclose(np.reshape(vector, expected.shape), expected, atol=1e-5)


def test_layers_are_counted_from_either_end(loaded):
    model, _ = loaded
    n = model.config.num_hidden_layers
    assert loading.layers(model, [-1, 0], "s") == [n, 0]
    with refused("vectors.s.layers", f"[{n + 1}]", f"0 to {n}"):
        loading.layers(model, [n + 1], "s")


def test_input_embeddings_depend_on_the_word_alone(loaded):
    model, tokenizer = loaded
    texts, bounds = in_sentences()
    _, result = vectors(loaded, texts, bounds, lambda table: lambda ids: loading.input_embeddings(table, ids))
    assert result[0] == result[2] == result[4]
    assert result[1] != result[0]
    (start, end), one = bounds[0], tokenizer(texts[0], return_offsets_mapping=True)
    rows = [
        token for token, (a, b) in zip(one["input_ids"], one["offset_mapping"], strict=True) if a < end and b > start
    ]
    np.testing.assert_allclose(result[0], model.get_input_embeddings().weight[rows].mean(dim=0).detach(), atol=1e-6)


def test_order_and_repetition_change_no_bit(loaded):
    _, result = vectors(loaded, NAMES)
    order = [6, 2, 0, 5, 1, 4, 3]
    _, other = vectors(loaded, [NAMES[i] for i in order])
    assert [result[i] for i in order] == other
    _, once = vectors(loaded, NAMES[:5] + NAMES[6:])
    assert once == result[:5] + result[6:]


def test_each_input_is_run_once(loaded):
    seen = []

    def counted(model):
        return lambda ids: seen.append(len(ids)) or loading.input_embeddings(model, ids)

    vectors(loaded, *in_sentences(), counted)
    assert sum(seen) == len(SENTENCES)


def test_what_cannot_be_represented_has_a_note(loaded):
    table, result = vectors(loaded, ["Peru", "", "Saint Kitts and Nevis"], max_tokens=4)
    notes = table["note"].to_pylist()
    assert result[1] is None
    assert notes[1].startswith("refused: the ")
    assert result[2] is None
    assert notes[2].endswith("tokens, the model takes 4")
    assert table["n_tokens"].to_pylist()[1:] == [0, 0]


def test_lower_case_is_that_of_the_text(loaded):
    _, result = vectors(loaded, ["Peru", "peru"], lowercase=True)
    assert result[0] == result[1] == vectors(loaded, ["peru"])[1][0]


def test_a_word_behind_letters_that_grow_in_lower_case_is_found(loaded):
    text = "İİİ Peru"  # three characters that have two each in lower case
    _, (rows,) = vectors(loaded, [text], [(4, 8)], lowercase=True)
    lower = text.lower()
    _, (expected,) = vectors(loaded, [lower], [(len(lower) - 4, len(lower))])
    assert rows == expected


def test_no_names_are_no_rows(loaded):
    assert len(vectors(loaded, [])[0]) == 0
