"""Corpora: how texts are divided."""

import pytest

from herbarium.core.errors import HerbariumError
from herbarium.training import corpora


def divided(texts, seed=0, max_texts=None):
    return corpora.divided(texts, "c", max_texts, seed)


def test_each_text_is_once_in_a_part_of_its_size():
    texts = [f"Text {n}." for n in range(1000)]
    table = divided(texts)
    assert sorted(table["text"]) == sorted(texts)
    assert table["split"].value_counts().to_dict() == {"train": 640, "validation": 160, "test": 200}
    assert set(table["side"]) == {"original"}
    assert table["text_id"].is_unique
    assert table["text"].tolist() != texts  # a corpus that is sorted is not divided by what it is sorted by


def test_equal_texts_are_in_one_part():
    table = divided([f"Text {n % 50}." for n in range(1000)])
    assert len(table) == 1000
    assert (table.groupby("text")["split"].nunique() == 1).all()
    assert table["split"].nunique() == 3


def test_what_is_no_text_is_left_out():
    texts = [f"Text {n}." for n in range(20)]
    assert sorted(divided([*texts, "", "  ", None, float("nan"), 3])["text"]) == sorted(texts)
    assert sorted(divided([f" {text}\n" for text in texts])["text"]) == sorted(texts)


def test_at_most_so_many_drawn_by_the_seed():
    texts = [f"Text {n}." for n in range(200)]
    first, again, other = divided(texts, 1, 30), divided(texts, 1, 30), divided(texts, 2, 30)
    assert len(first) == 30
    assert first.equals(again)
    assert set(first["text"]) != set(other["text"])


@pytest.mark.parametrize("texts", [[], ["One.", "Two."], ["One."] * 100])
def test_too_few_texts_are_an_error(texts):
    with pytest.raises(HerbariumError, match=r"corpora\.c: \d different texts are too few to be divided"):
        divided(texts)
