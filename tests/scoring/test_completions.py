"""The likeliest completions of a masked token are those of the pipeline `fill-mask` of transformers."""

import pytest
from tests.refusals import refused

from herbarium.models import loading
from herbarium.scoring import completing
from herbarium.scoring.completing import complete
from herbarium.scoring.completions import COMPLETIONS

TEXTS = ["the people from Peru are [M].", "they are [M].", "the [M] is from Peru.", "people from Chile are [M]."]


def loaded(folder, kind="masked"):
    return loading.load(folder, kind, "float32", "m"), loading.load_tokenizer(folder, "m")


@pytest.mark.parametrize("family", ["bert", "roberta", "albert"])
def test_completions_are_those_of_the_pipeline(model_folder, family):
    from transformers import pipeline

    model, tokenizer = loaded(model_folder(family))
    rows = complete(model, tokenizer, "cpu", TEXTS, 7, 64, False, "m")
    assert list(rows) == COMPLETIONS.fields.names
    fill = pipeline("fill-mask", model=model, tokenizer=tokenizer, top_k=7)
    for text, words in zip(rows["text"], rows["completions"], strict=True):
        of_pipeline = fill(text.replace("[M]", tokenizer.mask_token))
        assert words == [completion["token_str"].strip() for completion in of_pipeline]


@pytest.mark.parametrize("family", ["bert", "roberta", "albert"])
def test_a_whole_word_is_one_that_the_tokenizer_gives_back_behind_a_space(model_folder, family):
    model, tokenizer = loaded(model_folder(family))
    (row,) = complete(model, tokenizer, "cpu", TEXTS[1:2], 10**6, 64, False, "m").to_dict("records")
    assert len(row["completions"]) == len(row["is_word"]) == model.config.vocab_size
    assert any(row["is_word"])
    assert not all(row["is_word"])
    for word, is_word in zip(row["completions"], row["is_word"], strict=True):
        assert not is_word or word.isalpha()


def test_texts_that_the_model_cannot_see_are_refused_and_lower_case_is_the_models(model_folder):
    model, tokenizer = loaded(model_folder("bert"))
    rows = complete(model, tokenizer, "cpu", ["they are [MASK] and [M].", TEXTS[0]], 3, 64, False, "m")
    assert rows["completions"].isna().tolist() == [True, False]
    assert rows["note"][0]
    (upper,) = complete(model, tokenizer, "cpu", [TEXTS[0].replace("people", "PEOPLE")], 3, 64, True, "m")[
        "completions"
    ]
    assert upper == rows["completions"][1]
    (short,) = complete(model, tokenizer, "cpu", TEXTS[:1], 3, 4, False, "m").to_dict("records")
    assert short["completions"] is None
    assert "tokens" in short["note"]


def test_a_tokenizer_without_a_mask_is_refused(model_folder):
    model, tokenizer = loaded(model_folder("gpt2"), "causal")
    assert tokenizer.mask_token is None
    with refused("m", "mask"):
        complete(model, tokenizer, "cpu", TEXTS, 3, 64, False, "m")


def test_texts_run_in_batches_of_one_length():
    token_ids = [[1, 2], [1], [3, 4], *[[5]] * 70]
    batches = completing._batches(range(len(token_ids)), token_ids)
    assert [len(batch) for batch in batches] == [64, 7, 2]
    assert sorted(row for batch in batches for row in batch) == list(range(73))
