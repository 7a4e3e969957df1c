import numpy as np
import pytest

from herbarium.models import loading
from herbarium.scoring import representations

NAMES = ["Peru", "New Zealand", "Canada", "Saint Kitts and Nevis", "Fiji", "Peru", "Xi’an"]


@pytest.fixture(params=["bert", "roberta", "bart", "gpt2"])
def loaded(request, model_folder):
    kind = {"bart": "seq2seq", "gpt2": "causal"}.get(request.param, "masked")
    folder = model_folder(request.param)
    return loading.load(folder, kind, "float32", "m"), loading.load_tokenizer(folder, "m")


def vectors(loaded, names, **changes):
    table = representations.represent(*loaded, "cpu", names, **{"max_tokens": 64, "lowercase": False, **changes})
    return table, table["representation"].to_pylist()


def test_mean_of_the_last_hidden_states_of_the_names_own_tokens(loaded):
    import torch

    model, tokenizer = loaded
    table, found = vectors(loaded, NAMES)
    for name, vector, n_tokens in zip(NAMES, found, table["n_tokens"].to_pylist(), strict=True):
        one = tokenizer(name, return_special_tokens_mask=True, return_tensors="pt")
        special = one.pop("special_tokens_mask")[0].bool()
        trunk = model.base_model  # of BART, which shifts the decoder's input itself, as of the others
        with torch.inference_mode():
            states = trunk(input_ids=one["input_ids"]).last_hidden_state[0]
        assert n_tokens == (~special).sum()
        np.testing.assert_allclose(vector, states[~special].mean(dim=0), atol=1e-5)


def test_order_and_repetition_change_no_bit(loaded):
    _, found = vectors(loaded, NAMES)
    order = [6, 2, 0, 5, 1, 4, 3]
    _, other = vectors(loaded, [NAMES[i] for i in order])
    assert [found[i] for i in order] == other
    _, once = vectors(loaded, NAMES[:5] + NAMES[6:])
    assert once == found[:5] + found[6:]


def test_what_cannot_be_represented_has_a_note(loaded):
    table, found = vectors(loaded, ["Peru", "", "Saint Kitts and Nevis"], max_tokens=4)
    notes = table["note"].to_pylist()
    assert found[1] is None
    assert notes[1].startswith("refused: the ")
    assert found[2] is None
    assert notes[2].endswith("tokens, the model takes 4")
    assert table["n_tokens"].to_pylist()[1:] == [0, 0]


def test_lower_case_is_that_of_the_text(loaded):
    _, found = vectors(loaded, ["Peru", "peru"], lowercase=True)
    assert found[0] == found[1] == vectors(loaded, ["peru"])[1][0]


def test_no_names_are_no_rows(loaded):
    assert len(vectors(loaded, [])[0]) == 0
