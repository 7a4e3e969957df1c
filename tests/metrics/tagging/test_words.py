"""Words and tokens; and a tagger that learns, and one that is frozen."""

import numpy as np
import pytest

from herbarium.core.resources import read_words
from herbarium.metrics.tagging import planted_sentences, score, sentences, words
from herbarium.models import loading
from herbarium.scoring import classifiers
from herbarium.training import head, planted

WORDS = [["Peru", "xy", "wise"], ["a", "Fiji"]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A random BERT, to which the words around names are a token each."""
    import torch
    import transformers

    made = tmp_path_factory.mktemp("small")
    cues = [word for cue in planted_sentences.CUES.values() for word in cue]
    tokenizer = planted.word_tokenizer([" ".join(["The", "the", "Peru", "wise", *cues, *planted_sentences.VERBS])])
    sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    sizes |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0, "initializer_range": 0.1}
    torch.manual_seed(0)
    transformers.BertForMaskedLM(transformers.BertConfig(vocab_size=len(tokenizer), **sizes)).save_pretrained(made)
    tokenizer.save_pretrained(made)
    return made


def test_the_first_token_of_a_word_has_its_tag(folder):
    tokenizer = loading.load_tokenizer(folder, "m")
    encoded, first = words.encode(tokenizer, WORDS, 99, lowercase=False)
    tokens = tokenizer.convert_ids_to_tokens(encoded.token_ids)
    assert [[tokens[place] for place in places] for places in first] == [["Peru", "x", "wise"], ["a", "F"]]
    classes = ["O", "B-LOC"]
    labels = words.labels(encoded, first, [["B-LOC", "O", "O"], ["O", "B-LOC"]], classes, -100)
    assert [label.tolist() for label in labels] == [[-100, 1, 0, -100, 0, -100], [-100, 0, 1, -100, -100, -100, -100]]
    text = np.arange(len(tokens)) % 2
    assert words.tags(first, text, classes) == [[classes[text[place]] for place in places] for places in first]
    encoded, first = words.encode(tokenizer, WORDS, 4, lowercase=False)
    assert first[0].tolist() == [1, 2, words.NONE]  # a word that is cut off has no tag
    assert words.labels(encoded, first, [["O"] * 3, ["O"] * 2], ["O"], -100)[0].tolist() == [-100, 0, 0, -100]
    assert words.tags(first, np.zeros(99, int), ["B-X"])[0] == ["B-X", "B-X", "O"]


@pytest.mark.slow  # models of four families
@pytest.mark.parametrize("family", ["bert", "roberta", "albert", "gpt2"])
def test_every_family_cuts_words_as_transformers_does(model_folder, family):
    tokenizer = loading.load_tokenizer(model_folder(family), "m")
    text = [["People", "from", "Peru", "are", "wise", "."]]
    encoded, (first,) = words.encode(tokenizer, text, 99, lowercase=False)
    # of byte-level tokenizers the space before a word is part of its first token
    theirs = tokenizer(" ".join(text[0]), return_offsets_mapping=True)
    assert encoded.token_ids.tolist() == theirs["input_ids"]
    starts = np.cumsum([0, *(len(word) + 1 for word in text[0][:-1])])
    for place, start in zip(first, starts, strict=True):
        begin, end = theirs["offset_mapping"][place]
        assert begin <= start < end
    model = classifiers.begin(model_folder(family), tokenizer, "m", 1, ["O", "B-X", "I-X"], by_token=True)
    assert set(classifiers.token_classes(model.eval(), "cpu", encoded, "t")) <= {0, 1, 2}


def trained(folder, checkpoints, frozen):
    names = read_words("resources/regions/made_up_names.txt")
    task = planted_sentences.LAYOUT | {"test_share": 0.2}
    table = sentences.divided(planted_sentences.pieces("t", 1200, names, 1), task, "t", 1, 1, "t")
    tokenizer, classes = loading.load_tokenizer(folder, "m"), sentences.classes(table)
    model = classifiers.begin(folder, tokenizer, "m", 1, classes, by_token=True)
    before = [parameter.clone() for parameter in model.base_model.parameters()]
    if frozen:
        model.base_model.requires_grad_(False)
    train, test = table[table["split"] == "train"], table[table["split"] == "test"]
    encoded, first = words.encode(tokenizer, train["tokens"], 99, lowercase=False)
    labels = words.labels(encoded, first, train["tags"], classes, head.IGNORED)
    settings = {"epochs": 10, "learning_rate": 2e-3, "batch_size": 32}
    history = head.fine_tune(model, tokenizer, (encoded, labels), None, settings, 1, checkpoints, "cpu", False, "t")
    assert (history["steps"], history["history"]) == (10 * 29, [])
    encoded, first = words.encode(tokenizer, test["tokens"], 99, lowercase=False)
    tags = words.tags(first, classifiers.token_classes(model.eval(), "cpu", encoded, "t"), classes)
    same = all((a == b).all() for a, b in zip(before, model.base_model.parameters(), strict=True))
    return score.f1(score.counts(test["tags"], [tags])["all"]), same


@pytest.mark.nightly  # trains models
def test_a_trained_model_finds_what_a_frozen_random_one_does_not(folder, tmp_path):
    """Who finds every name, and guesses which of the types of its sentence it is of, has 1/2."""
    f1, is_same = trained(folder, tmp_path / "whole", frozen=False)
    assert f1 > 0.8
    assert not is_same
    f1, is_same = trained(folder, tmp_path / "frozen", frozen=True)
    assert f1 < 0.5
    assert is_same
