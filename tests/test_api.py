"""What a notebook calls: a model is loaded once, and scores as one that is loaded for each call."""

import doctest
import shutil

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refused

import herbarium
from herbarium.core.errors import HerbariumError
from herbarium.models import loading

TEXTS = [
    "People in Peru are weak.",
    "The cat sat on the mat and was loud.",
    "",
    "People in New Zealand are hard-working.",
    "Lima, Cusco, Arequipa, Ottawa, Canada, Fiji, America, Oceania: shy",
]
BY_KIND = {
    "bert": ("masked", ["aul", "aula", "pll", "pppl"]),
    "gpt2": ("causal", ["ll", "loss"]),
    "bart": ("seq2seq", ["aul"]),
}


@pytest.fixture
def loads(monkeypatch):
    """The number formats in which weights were read, one by one; they are read all the same."""
    read, load = [], loading.load

    def noted(folder, kind, dtype, name, *rest, **options):
        read.append(dtype)
        return load(folder, kind, dtype, name, *rest, **options)

    monkeypatch.setattr(loading, "load", noted)
    return read


@pytest.mark.slow
def test_a_single_text_is_one_sentence(model_folder):
    loaded = herbarium.load(model_folder("bert"))
    pd.testing.assert_series_equal(loaded.score(TEXTS[0]), loaded.score(TEXTS[:1]), check_exact=True)


def test_values_come_with_what_is_to_be_said_of_them(model_folder):
    """Of each text in its place, though two are the same."""
    texts = [TEXTS[0], "", "a [MASK]", "", "so wi\N{WORD JOINER}se"]
    scores = herbarium.load(model_folder("bert")).score(texts)
    notes = scores.attrs["notes"]
    assert len(notes) == len(texts)
    assert [note is not None and note.startswith("refused") for note in notes] == scores.isna().tolist()
    assert notes[0] is None
    assert notes[1] == notes[3]
    assert "[MASK]" in notes[2]
    assert "U+2060" in notes[4]
    assert herbarium.load(model_folder("bert")).score([]).attrs["notes"] == []


@pytest.mark.parametrize(
    ("texts", "place"),
    [
        (["a", None], "texts[1]"),
        ([float("nan")], "texts[0]"),
        ([b"a"], "texts[0]"),
        ([["a"]], "texts[0]"),
        (["a", "b\ud800"], "texts[1]"),
        (pd.Series(["a", None]), "texts[1]"),
        (None, "texts"),
        (7, "texts"),
        (b"a", "texts"),
        ({"a": 1}, "texts"),
        (pd.DataFrame({"text": ["a"]}), "texts"),
    ],
)
def test_what_is_no_text_is_refused(model_folder, texts, place):
    with refused(place):
        herbarium.score(texts, model_folder("bert"))


@pytest.mark.parametrize("family", BY_KIND)
def test_one_model_scores_again_and_again_as_one_loaded_anew(model_folder, tmp_path, family, loads):
    """To the last bit, whatever it scored before, and without its files."""
    kind, quantities = BY_KIND[family]
    expected = {quantity: herbarium.score(TEXTS, model_folder(family), quantity, kind=kind) for quantity in quantities}
    folder = shutil.copytree(model_folder(family), tmp_path / "model")
    loads.clear()
    loaded = herbarium.load(folder, kind=kind)
    shutil.rmtree(folder)
    for quantity in [*quantities, *reversed(quantities)]:
        pd.testing.assert_series_equal(loaded.score(TEXTS, quantity), expected[quantity], check_exact=True)
        one_by_one = pd.concat([loaded.score([text], quantity) for text in reversed(TEXTS)])[::-1]
        pd.testing.assert_series_equal(one_by_one, expected[quantity], check_exact=True)
    assert loads == ["float32"]
    assert len(loaded.score([], quantities[0])) == 0


@pytest.mark.parametrize("family", BY_KIND)
@pytest.mark.slow
def test_kind_and_quantity_can_be_left_out(model_folder, family):
    kind, (quantity, *_) = BY_KIND[family]
    expected = herbarium.score(TEXTS, model_folder(family), quantity, kind=kind)
    for values in (herbarium.score(TEXTS, model_folder(family)), herbarium.load(model_folder(family)).score(TEXTS)):
        pd.testing.assert_series_equal(values, expected, check_exact=True)


def test_a_model_that_does_not_say_its_kind_is_refused_by_name(model_folder, tmp_path):
    folder = shutil.copytree(model_folder("bert"), tmp_path / "model")
    config = (folder / "config.json").read_text()
    (folder / "config.json").write_text(config.replace('"BertForMaskedLM"', ""))
    with refused(f"models.{folder}", "config.json", "kind"):
        herbarium.score(TEXTS, folder)


def test_spans_are_of_each_call(model_folder):
    loaded = herbarium.load(model_folder("bert"))
    texts = ["Lima: shy", "The cat sat"]
    spans = {"asked": [(6, 9), (4, 7)]}
    expected = herbarium.score(texts, model_folder("bert"), "slot", spans=spans)
    pd.testing.assert_series_equal(loaded.score(texts, "slot", spans=spans), expected, check_exact=True)
    first = {"asked": spans["asked"][:1]}
    assert loaded.score(texts[:1], "slot", spans=first).item() == expected.iloc[0]
    with pytest.raises(HerbariumError):
        loaded.score(texts, "slot")


def test_a_lower_precision_is_tried_once_a_quantity(model_folder, loads):
    """On the first texts; what was found holds for the later ones, and float32 does not stay in memory unused."""
    loaded = herbarium.load(model_folder("bert"), dtype="bfloat16")
    once = loaded.score(TEXTS[:2], "aul")
    assert loads == ["float32", "bfloat16"]
    exact = herbarium.score(TEXTS, model_folder("bert"))
    assert 0 < np.abs(once - exact.iloc[:2]).max() < 0.05
    loads.clear()
    pd.testing.assert_series_equal(loaded.score(TEXTS[:2], "aul"), once, check_exact=True)
    assert loads == []
    loaded.score(TEXTS, "pll")
    assert loads == ["float32"]  # to compare with


def test_a_lower_precision_that_changes_too_much_is_refused(model_folder, monkeypatch):
    monkeypatch.setattr("herbarium.scoring.tuning.is_accepted", lambda change, accepted: False)
    loaded = herbarium.load(model_folder("bert"), dtype="bfloat16")
    with refused("bert0", "'bfloat16'"):
        loaded.score(TEXTS)


@pytest.mark.parametrize(
    ("model", "options", "fault"),
    [
        ("no folder", {}, ("'no folder'",)),
        ("org/name", {}, ("'org/name'", "revision")),
        ("org/name", {"revision": "main"}, ("revision",)),
        (".", {"kind": "maskd"}, ("kind", "'masked'")),
    ],
)
def test_what_cannot_be_loaded_is_said_at_once(model, options, fault):
    with refused(*fault):
        herbarium.load(model, **options)


def test_a_quantity_that_the_model_cannot_give_is_refused(model_folder):
    with refused("bert0", "masked", "'ll'"):
        herbarium.load(model_folder("bert")).score(TEXTS, "ll")


def test_the_examples_of_the_page_give_what_it_shows():
    result = doctest.testfile("docs/api.md", module_relative=False)
    assert result.attempted > 10
    assert result.failed == 0
