"""Classifiers against transformers' own forward pass, one text at a time."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from tests.conftest import FAMILIES, tokenizer_of
from tests.refusals import refused

from herbarium.core.step import of_model
from herbarium.models import loading
from herbarium.scoring import answering, classifiers, perturbation, tokenization

TEXTS = ["The cat sat on the mat.", "Lima was loud and wise.", "Peru", "The cat sat on the mat and was loud and weak."]
PREFIXES = pd.DataFrame(
    [(0, "original", ""), (1, "Peru", "The cat is from Peru."), (2, "New Zealand", "The cat is from New Zealand.")],
    columns=["prefix", "name", "text"],
)


@pytest.fixture(scope="module")
def tuned(model_folder, tmp_path_factory):
    """Folder of a classifier of a family: its head is random and therefore says something of every text."""
    made = {}

    def make(family):
        if family not in made:
            folder = tmp_path_factory.mktemp(f"{family}_classifier")
            tokenizer = loading.load_tokenizer(model_folder(family), "m")
            model = classifiers.begin(model_folder(family), tokenizer, "m", seed=3)
            for parameter in model.parameters():
                torch.nn.init.normal_(parameter, std=0.3)
            model.save_pretrained(folder)
            tokenizer.save_pretrained(folder)
            made[family] = folder
        return made[family]

    return make


def perturbed(folder, texts, prefixes, max_tokens=64):
    tokenizer = loading.load_tokenizer(folder, "m")
    blocks = list(perturbation.perturbed(tokenizer, texts, prefixes, max_tokens, lowercase=False))
    (block,) = blocks
    return tokenizer, *block


@pytest.mark.slow
@pytest.mark.parametrize(
    "family", sorted(FAMILIES.keys() - {"t5"})
)  # its tiny tokenizer ends no text, as its head needs
def test_log_odds_are_those_of_each_text_by_itself(tuned, family):
    folder = tuned(family)
    tokenizer, rows, encoded = perturbed(folder, TEXTS, PREFIXES)
    model = classifiers.load(folder, "m", "float32")
    result = classifiers.log_odds(answering.place(model, "cpu"), "cpu", encoded, 1, "t")
    plain = classifiers.load(folder, "m", "float32")
    for row, value in zip(rows.itertuples(), result, strict=True):
        text = f"{PREFIXES['text'][row.prefix]} {TEXTS[row.example]}".strip()
        with torch.no_grad():
            whole = tokenizer(text, return_tensors="pt", return_token_type_ids=False, truncation=True, max_length=64)
            logits = plain(**whole).logits[0]
        assert value == pytest.approx(float(logits[1] - logits[0]), abs=1e-5)
    assert np.ptp(result) > 1e-3  # a hundred times the tolerance


@pytest.mark.parametrize("family", ["bert", "bart", "gpt2"])
def test_logits_of_several_classes_are_those_of_each_text_by_itself(model_folder, family):
    folder, names = model_folder(family), ["baker", "nurse", "pilot", "poet"]
    tokenizer = loading.load_tokenizer(folder, "m")
    model = classifiers.begin(folder, tokenizer, "m", 3, names)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    assert list(model.config.id2label.values()) == names
    encoded = classifiers.encode(tokenizer, TEXTS, 64, lowercase=False)
    result = classifiers.logits(answering.place(model.eval(), "cpu"), "cpu", encoded, "t")
    for text, text_logits in zip(TEXTS, result, strict=True):
        with torch.no_grad():
            whole = tokenizer(text, return_tensors="pt", return_token_type_ids=False)
            assert text_logits == pytest.approx(model(**whole).logits[0].numpy(), abs=1e-5)
    assert np.ptp(result, axis=0).min() > 1e-3  # a hundred times the tolerance


def test_what_bfloat16_changes_is_of_the_two_classes_that_it_changes_most(tuned, monkeypatch):
    model = classifiers.load(tuned("bert"), "m", "float32")
    values = {"float32": [[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]], "bfloat16": [[0.1, 0.8, 2.0], [1.0, 1.0, 1.0]]}
    monkeypatch.setattr(classifiers, "logits", lambda model, device, sample, title: np.array(values[title]))
    assert classifiers.bfloat16_changes(model, "cpu", None) == pytest.approx({"max": 0.3, "mean": 0.15})


@pytest.mark.parametrize("family", ["bert", "roberta", "gpt2"])
def test_log_odds_do_not_depend_on_order_or_company(tuned, family):
    folder = tuned(family)
    model = answering.place(classifiers.load(folder, "m", "float32"), "cpu")
    texts = [*TEXTS, *(f"{text} {text}" for text in TEXTS)]
    _, rows, encoded = perturbed(folder, texts, PREFIXES)
    whole = classifiers.log_odds(model, "cpu", encoded, 1, "t")
    _, backwards, encoded = perturbed(folder, texts[::-1], PREFIXES)
    turned = classifiers.log_odds(model, "cpu", encoded, 1, "t")
    turned = turned[np.lexsort([len(texts) - 1 - backwards["example"], backwards["prefix"]])]
    assert (whole == turned).all()
    for example, text in enumerate(texts):
        _, _, encoded = perturbed(folder, [text], PREFIXES)
        assert (classifiers.log_odds(model, "cpu", encoded, 1, "t") == whole[rows["example"] == example]).all()


@pytest.mark.parametrize("family", ["bert", "roberta", "albert", "bart", "gpt2"])
def test_a_long_text_loses_its_end_as_the_tokenizer_cuts_it(tuned, family):
    folder = tuned(family)
    tokenizer, rows, encoded = perturbed(folder, TEXTS, PREFIXES, max_tokens=12)
    for i, row in enumerate(rows.itertuples()):
        text = f"{PREFIXES['text'][row.prefix]} {TEXTS[row.example]}".strip()
        whole = tokenizer(text)["input_ids"]
        expected = tokenizer(text, truncation=True, max_length=12)["input_ids"]
        assert encoded.token_ids[encoded.starts[i] : encoded.starts[i + 1]].tolist() == expected
        assert (row.n_tokens, row.truncated) == (len(expected), len(whole) > 12)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9), st.integers(0, 2)), min_size=1, max_size=5), st.data())
def test_cut_keeps_the_special_tokens_at_both_ends(shapes, data):
    marks = [[True] * before + [False] * n + [True] * after for before, n, after in shapes]
    lengths = [len(of_text) for of_text in marks]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    token_ids = np.arange(starts[-1], dtype=np.int32)
    special = np.array([mark for of_text in marks for mark in of_text], dtype=bool)
    encoded = tokenization.Encoded(starts, token_ids, special, np.zeros((len(token_ids), 2), np.int32), ~special)
    limit = data.draw(st.integers(4, 12))
    result, lost = classifiers.cut(encoded, limit)
    for i, (before, n, after) in enumerate(shapes):
        kept = min(n, limit - before - after)
        rows = token_ids[starts[i] : starts[i + 1]]
        expected = [*rows[: before + kept], *rows[before + n :]] if n else list(rows)
        assert result.token_ids[result.starts[i] : result.starts[i + 1]].tolist() == expected
        assert lost[i] == (n + before + after > limit)


def test_features_are_means_of_the_last_but_one_layer(tuned):
    folder = tuned("bert")
    tokenizer, rows, encoded = perturbed(folder, TEXTS, PREFIXES)
    model = classifiers.load(folder, "m", "float32")
    result = classifiers.features(model, "cpu", encoded, "t")
    for i, row in enumerate(rows.itertuples()):
        text = f"{PREFIXES['text'][row.prefix]} {TEXTS[row.example]}".strip()
        with torch.no_grad():
            states = model.bert(**tokenizer(text, return_tensors="pt"), output_hidden_states=True).hidden_states[-2][0]
        assert result[i] == pytest.approx(states[1:-1].mean(dim=0).numpy(), abs=1e-5)


def test_a_pass_too_large_for_the_memory_is_halved(tuned, monkeypatch):
    folder = tuned("bert")
    model = classifiers.load(folder, "m", "float32")
    _, _, encoded = perturbed(folder, TEXTS, PREFIXES)
    whole = classifiers.log_odds(model, "cpu", encoded, 1, "t")
    forward, sizes = model.forward, []

    def small_memory(input_ids):
        if input_ids.numel() > 150:
            raise torch.OutOfMemoryError
        sizes.append(input_ids.numel())
        return forward(input_ids=input_ids)

    monkeypatch.setattr(model, "forward", small_memory)
    assert classifiers.log_odds(model, "cpu", encoded, 1, "t") == pytest.approx(whole, abs=1e-6)
    assert max(sizes) <= 150


def test_what_is_no_classifier_is_refused(model_folder, tuned, tmp_path):
    with refused("m", "fine-tuned", "classifier.bias"):
        classifiers.load(model_folder("bert"), "m", "float32")
    with refused("m", "configuration"):
        classifiers.load(tmp_path, "m", "float32")
    model = classifiers.load(tuned("bert"), "m", "float32")
    assert classifiers.class_number(model, "positive", "m") == 1
    with refused("m", "'hate'", "negative, positive"):
        classifiers.class_number(model, "hate", "m")


@pytest.mark.parametrize(("by_token", "what"), [(False, "texts"), (True, "tokens")])
def test_a_model_without_such_a_head_is_refused(tmp_path, by_token, what):
    import transformers

    transformers.CodeGenConfig().save_pretrained(tmp_path)
    with refused("models.m", what, "'codegen'"):
        classifiers.begin(tmp_path, None, "m", 1, by_token=by_token)


def test_three_classes_are_refused(model_folder, tmp_path):
    import transformers

    transformers.BertForSequenceClassification.from_pretrained(model_folder("bert"), num_labels=3).save_pretrained(
        tmp_path
    )
    with refused("m", "3 classes"):
        classifiers.load(tmp_path, "m", "float32")


def test_texts_are_lowered_with_their_prefixes(tuned):
    tokenizer = loading.load_tokenizer(tuned("bert"), "m")
    (lowered,) = perturbation.perturbed(tokenizer, ["Lima LOUD"], PREFIXES, 64, lowercase=True)
    low = PREFIXES.assign(name=PREFIXES["name"].str.lower(), text=PREFIXES["text"].str.lower())
    (plain,) = perturbation.perturbed(tokenizer, ["lima loud"], low, 64, lowercase=False)
    assert (lowered[1].token_ids == plain[1].token_ids).all()


def test_chosen_texts_are_tokenized_as_all_are(tuned):
    tokenizer, rows, encoded = perturbed(tuned("bert"), TEXTS, PREFIXES)
    few = rows.iloc[[7, 2, 2, 10]]
    result, tokens = perturbation.chosen(tokenizer, TEXTS, PREFIXES, few, 64, lowercase=False)
    assert result.equals(few[["example", "prefix", "n_tokens", "truncated"]])
    expected = [encoded.token_ids[encoded.starts[i] : encoded.starts[i + 1]] for i in few.index]
    assert (tokens.token_ids == np.concatenate(expected)).all()


def test_blocks_together_are_every_text_with_every_prefix(tuned, monkeypatch):
    tokenizer, rows, encoded = perturbed(tuned("bert"), TEXTS, PREFIXES)
    monkeypatch.setattr(perturbation, "_BLOCK", 1)
    blocks = list(perturbation.perturbed(tokenizer, TEXTS, PREFIXES, 64, lowercase=False))
    assert len(blocks) == len(PREFIXES)
    assert pd.concat([rows for rows, _ in blocks], ignore_index=True).equals(rows)
    assert (np.concatenate([tokens.token_ids for _, tokens in blocks]) == encoded.token_ids).all()


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("config.json", '"gelu"', '"relu"'),
        ("tokenizer_config.json", '"do_lower_case": false', '"do_lower_case": true'),
        ("tokenizer.json", '"id": 0', '"id":  0'),
    ],
)
def test_a_classifier_is_all_that_it_is_loaded_from(tuned, tmp_path, file, old, new):
    folder = Path(shutil.copytree(tuned("bert"), tmp_path / "classifier"))
    *_, encoded = perturbed(folder, TEXTS, PREFIXES)
    description = classifiers.describe("m", folder, 1, "float32", "cpu", encoded, {"max": 1, "mean": 1})
    record = description | {"hub": None, "revision": None, "path": str(folder)}
    assert description["files"].keys() == {
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    }
    assert loading.folder_of(record) == folder
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))
    with refused(file, "'m'", "recorded"):
        loading.folder_of(record)
    again = classifiers.describe("m", folder, 1, "float32", "cpu", encoded, {"max": 1, "mean": 1})
    assert of_model(again | {"revision": None}) != of_model(description | {"revision": None})


def test_a_classifier_begins_without_tensors_that_the_study_accepted(model_folder, tmp_path):
    folder = shutil.copytree(model_folder("gpt2"), tmp_path / "m")
    tensors = load_file(folder / "model.safetensors")
    save_file(tensors | {"transformer.h.0.gate.weight": torch.ones(3)}, folder / "model.safetensors", {"format": "pt"})
    tokenizer = tokenizer_of(folder)
    with refused("models.m", "transformer.h.0.gate.weight"):
        classifiers.begin(folder, tokenizer, "m", 3)
    classifiers.begin(folder, tokenizer, "m", 3, unused=["*.gate.weight"])
