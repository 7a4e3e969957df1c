"""Vectors that the study has trained, looked up."""

import numpy as np
import pandas as pd
import pytest

from herbarium.core import store
from herbarium.vectors import lookup, planted
from herbarium.vectors.tables import LOWERCASE, WORD_VECTORS, bare


@pytest.mark.parametrize(("part", "end"), [("whole", None), ("neutral", -1)])
def test_trained_vectors_are_found_in_lower_case_whole_or_without_gender(tmp_path, part, end):
    learned = pd.DataFrame({"word": ["she", "nurse"], "count": [3, 2], "vector": [[1.0, 2, 3], [4, 5, 6]]})
    path = tmp_path / "learned.parquet"
    store.write_table(path, WORD_VECTORS, learned)
    entry = {"lowercase": False, "planted": None, "trained": {"part": part}}
    result = lookup.vectors(bare(["Nurse", "he", "she"]), entry, "gn", 0, str(path))
    assert result["vector"].to_pylist() == [[4, 5, 6][:end], None, [1, 2, 3][:end]]
    assert result["note"].to_pylist() == [None, "no word 'he'", None]
    assert np.array_equal(result["n_tokens"], [1, 0, 1])
    blocks = list(lookup.blocks(entry, str(path), 1))
    assert [(words, values.tolist()) for words, values in blocks] == [
        (["she"], [[1, 2, 3][:end]]),
        (["nurse"], [[4, 5, 6][:end]]),
    ]


def test_planted_vectors_are_of_the_meaning_gender_and_lean_of_words():
    words = bare(["nurse", "he"], concept=["a", "b"], gender=[0.0, 1.0], lean=[-1.0, 0.0])
    entry = {"lowercase": False, "planted": 2.0, "rotated": False, "trained": None}
    expected = planted.vectors(["nurse", "he"], ["a", "b"], [0.0, 1.0], [-1.0, 0.0], "s", 2.0, False, 7)
    result = lookup.vectors(words, entry, "s", 7)["vector"].to_pylist()
    np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_a_file_is_in_the_letters_that_its_words_are_looked_up_in(tmp_path):
    (tmp_path / "words.vec").write_text("She 1 2\nshe 3 4\n")
    entry = {"hub": None, "path": str(tmp_path / "words.vec"), "planted": None, "trained": None, "lowercase": True}
    assert lookup.looked_up(["She"], entry) == ["she"]
    assert lookup.looked_up(["She"], entry | {"lowercase": False}) == ["She"]
    ((words, values),) = lookup.blocks(entry, None, 10)
    assert (words, values.tolist()) == (["She", "she"], [[1, 2], [3, 4]])


def test_a_word_that_a_file_has_in_lower_case_only_says_which_key_to_set(tmp_path):
    (tmp_path / "words.vec").write_text("amy 1 2\nshe 3 4\nShe 5 6\n")
    entry = {"hub": None, "path": str(tmp_path / "words.vec"), "planted": None, "trained": None, "lowercase": False}
    told = lookup.vectors(bare(["Amy", "She", "Zed"]), entry, "glove", 0)
    assert told["vector"].to_pylist() == [None, [5, 6], None]
    lacking, there, unknown = told["note"].to_pylist()
    assert all(fact in lacking for fact in ("'Amy'", "'amy'", "vectors.glove", LOWERCASE))
    assert (there, unknown) == (None, "no word 'Zed'")
    lower = lookup.vectors(bare(["Amy", "Zed"]), entry | {"lowercase": True}, "glove", 0)
    assert lower["note"].to_pylist() == [None, "no word 'zed'"]
