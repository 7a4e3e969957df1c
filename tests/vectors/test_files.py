import gzip

import numpy as np
import pytest
from tests.refusals import refused

from herbarium.vectors import files

WORDS = "the 0.1 0.2 0.3\nnurse 1 -2.5 3e-2\n. . . 4 5 6\nnurse 7 8 9\n"


@pytest.fixture(params=["plain", "header", "gz"])
def path(request, tmp_path):
    text = f"4 3\n{WORDS}" if request.param == "header" else WORDS
    path = tmp_path / ("vectors.vec.gz" if request.param == "gz" else "vectors.txt")
    path.write_bytes(gzip.compress(text.encode()) if request.param == "gz" else text.encode())
    return path


def test_words_are_found_with_their_numbers(path):
    result = files.read(path, {"nurse", "doctor"})
    assert (result.n_words, result.dimensions, list(result.vectors)) == (4, 3, ["nurse"])
    np.testing.assert_allclose(result.vectors["nurse"], [1, -2.5, 0.03], rtol=1e-6)


def test_all_words_and_the_first_of_them(path):
    assert list(files.read(path, None).vectors) == ["the", "nurse", ". . ."]
    assert list(files.read(path, None, first=1).vectors) == ["the"]


@pytest.mark.parametrize("size", [1, 3, 100])
def test_all_words_some_at_a_time(path, size):
    result = list(files.blocks(path, size))
    assert [word for words, _ in result for word in words] == ["the", "nurse", ". . .", "nurse"]
    assert max(len(words) for words, _ in result) == min(size, 4)
    values = np.concatenate([block for _, block in result])
    assert values.dtype == np.float32
    np.testing.assert_allclose(values[[0, 3]], [[0.1, 0.2, 0.3], [7, 8, 9]], rtol=1e-6)


def test_only_the_first_line_can_be_a_header(tmp_path):
    (tmp_path / "v").write_text("2 1\n7 1\n8 2\n")
    assert list(files.read(tmp_path / "v", None).vectors) == ["7", "8"]


def test_words_beyond_ascii(tmp_path):
    (tmp_path / "v").write_text("größe 1 2\nनर्स 3 4\n", encoding="utf-8")
    assert files.read(tmp_path / "v", {"नर्स"}).vectors["नर्स"].tolist() == [3, 4]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", ("v", "no line")),
        ("word\n", ("v, line 1",)),
        ("<html> page\n", ("v, line 1",)),
        ("a 1 2\nb 1\n", ("v, line 2", 2)),
        ("a 1 2\nb 1 x\n", ("v, line 2", 2)),
        ("a 1 2\nb nan 2\n", ("v, line 2",)),
    ],
)
def test_what_is_no_file_of_vectors_is_told_with_its_line(tmp_path, text, fault):
    (tmp_path / "v").write_text(text)
    for reading in (lambda path: files.read(path, None), lambda path: list(files.blocks(path, 1))):
        with refused(*fault):
            reading(tmp_path / "v")


def test_a_truncated_archive_is_told(tmp_path):
    (tmp_path / "v.gz").write_bytes(gzip.compress(WORDS.encode() * 1000)[:-40])
    with refused("v.gz"):
        files.read(tmp_path / "v.gz", None)
