"""Corpora: how texts are divided."""

import pandas as pd
import pytest
from tests.refusals import refused

from herbarium.core import store
from herbarium.training import corpora, swapping


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
    with refused("corpora.c", "too few"):
        divided(texts)


def test_a_planted_text_is_learned_from_whole():
    texts = pd.Series([f"Text {n % 9}." for n in range(1000)])
    table = corpora.undivided(texts, "c", None, 0)
    learned = table[table["split"] == "train"]["text"]
    assert learned.tolist() == texts.tolist()
    assert table["split"].value_counts().to_dict() == {"train": 1000, "test": 200, "validation": 160}
    assert corpora.undivided(texts, "c", None, 0).equals(table)


def test_of_a_planted_text_a_sample_can_be_taken():
    texts = pd.Series([f"Text {n}." for n in range(1000)])
    table = corpora.undivided(texts, "c", 50, 0)
    assert table["split"].value_counts().to_dict() == {"train": 50, "test": 10, "validation": 8}
    learned = table[table["split"] == "train"]["text"]
    assert learned.is_unique
    assert set(table["text"]) == set(learned)


def test_what_is_exchanged_stays_in_its_part(tmp_path):
    before = divided([f"He is {n}." if n % 3 else f"It is {n}." for n in range(200)])
    result = swapping.corpus(before["text"].tolist(), swapping.read_pairs("resources/swaps/english_gender.csv"), True)
    after = corpora.as_divided(result, before)
    split = before.set_index("text_id")["split"]
    assert (after["split"] == split[after["text_id"]].to_numpy()).all()
    assert after[after["side"] == "original"]["text"].tolist() == before["text"].tolist()
    swapped = after[after["side"] == "swapped"]
    originals = before.set_index("text_id")["text"][swapped["text_id"]]
    assert swapped["text"].tolist() == [text.replace("He", "She") for text in originals]
    assert (
        swapped["n_swapped"].tolist()
        == [1] * len(swapped)
        == [1] * sum(text.startswith("He") for text in before["text"])
    )
    store.write_table(tmp_path / "a.parquet", corpora.CORPUS, after)
    assert len(store.read_frame(tmp_path / "a.parquet", "corpus")) == len(after)
