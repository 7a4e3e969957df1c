"""Tagged sentences: what is read, what is refused and where, and how they are divided."""

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refused

from herbarium.core.resources import read_words
from herbarium.metrics.tagging import planted_sentences, sentences
from herbarium.metrics.tagging.sentences import Sentence

CONLL = "-DOCSTART- O\n\nAnn NNP B-PER\nLee NNP I-PER\nsaw VBD O\n\n\nLima\tB-LOC\n"
TASK = {"train": [], "test": [], "test_share": 0.25, "tokens": "tokens", "tags": "tags", "names": []}


def conll(tmp_path, text):
    path = tmp_path / "own.conll"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_conll_file_is_read(tmp_path):
    result = sentences.read_conll(conll(tmp_path, CONLL))
    assert result == [Sentence(["Ann", "Lee", "saw"], ["B-PER", "I-PER", "O"]), Sentence(["Lima"], ["B-LOC"])]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("B-PER", "PER", ("own.conll, line 3", "'PER'")),
        ("Lima\tB-LOC", "Lima", ("own.conll, line 8", "'Lima'")),
        ("Lima\tB-LOC", "Lima\tLOC-B", ("own.conll, line 8", "'LOC-B'")),
        (CONLL, "\n\n", ("own.conll", "no sentence")),
    ],
)
def test_a_bad_file_is_told_with_its_line(tmp_path, old, new, fault):
    with refused(*fault):
        sentences.read_conll(conll(tmp_path, CONLL.replace(old, new)))


@pytest.mark.parametrize(
    ("tags", "read"),
    [
        # of IOB1, in which B- only separates two entities of a type; and by mistake
        ("I-PER I-PER B-PER O", "B-PER I-PER B-PER O"),
        ("O I-LOC I-LOC I-ORG", "O B-LOC I-LOC B-ORG"),
        ("B-PER I-LOC", "B-PER B-LOC"),
        ("B-PER I-PER O B-LOC", "B-PER I-PER O B-LOC"),
    ],
)
def test_an_entity_that_begins_with_i_is_one(tmp_path, tags, read):
    assert sentences.in_iob2(tags.split()) == read.split()
    (sentence,) = sentences.read_conll(conll(tmp_path, "".join(f"word {tag}\n" for tag in tags.split())))
    assert sentence.tags == read.split()
    table = pd.DataFrame({"tokens": [["word"] * len(sentence.tags)], "tags": [tags.split()]})
    assert sentences.of_table(table, TASK, "t") == [sentence]


def test_a_folder_has_a_file_a_split(tmp_path):
    path = conll(tmp_path, CONLL)
    assert list(sentences.read_local(tmp_path, ["own.conll"])) == ["own.conll"]
    with refused(tmp_path, "'train'", "'test'"):
        sentences.read_local(tmp_path, [])
    with refused("own.conll", "'train'"):
        sentences.read_local(path, ["train"])
    with refused("other.conll"):
        sentences.read_local(tmp_path, ["other.conll"])


def test_numbers_of_tags_have_names():
    table = pd.DataFrame({"tokens": [["Ann", "saw"]], "tags": [np.array([1, 0])]})
    named = sentences.of_table(table, TASK | {"names": ["O", "B-PER"]}, "t")
    assert named == [Sentence(["Ann", "saw"], ["B-PER", "O"])]
    with refused("t, row 1, column 'tags'", 1, "'names'"):
        sentences.of_table(table, TASK, "t")
    with refused("t", "'words'", "tokens, tags"):
        sentences.of_table(table, TASK | {"tokens": "words"}, "t")
    with refused("t, row 1, token 2", "'PER-B'"):
        sentences.of_table(table.assign(tags=[["O", "PER-B"]]), TASK, "t")
    with refused("t, row 1", "2 tokens", "1 tags"):
        sentences.of_table(table.assign(tags=[["O"]]), TASK, "t")


def many(n):
    return [Sentence([f"Ann{k // 2}", "saw"], ["B-PER", "O"]) for k in range(n)]  # each twice


def test_equal_sentences_are_never_divided():
    result = sentences.divided({None: many(80)}, TASK, "t", 3, 1, "t")
    assert (result["split"] == "test").sum() == 20
    assert result["set"].value_counts().tolist() == [20, 20, 20]
    assert result.loc[result["split"] == "test", "set"].isna().all()
    places = result.assign(of=result["tokens"].map(tuple), place=result["set"].fillna(0))
    assert (places.groupby("of")["place"].nunique() == 1).all()
    assert sentences.summary(result)["in_both"] == 0
    again = sentences.divided({None: many(80)}, TASK, "t", 3, 1, "t")
    pd.testing.assert_frame_equal(result, again)
    assert not result.equals(sentences.divided({None: many(80)}, TASK, "t", 3, 2, "t"))


def test_splits_are_those_that_are_named():
    task = TASK | {"train": ["train"], "test": ["dev"]}
    result = sentences.divided({"train": many(4), "dev": many(2), "rest": many(9)}, task, "t", 1, 1, "t")
    assert result["split"].value_counts().to_dict() == {"train": 4, "test": 2}
    assert sentences.summary(result) == {
        **{"counts": {"train": 4, "test": 2}, "n_classes": 2, "in_both": 1},
        "noted": {},
    }
    with refused("t", "'dev'", "'train'"):
        sentences.divided({"train": many(4)}, task, "t", 1, 1, "t")
    with refused("tagging.tasks.t", "'set 2'", "tagging.training.sets"):  # a part without an entity
        sentences.divided({None: many(4)}, TASK | {"test_share": 0.5}, "t", 3, 1, "t")


def test_planted_names_are_new_to_the_test_and_their_type_is_said_by_the_word_before():
    names = read_words("resources/regions/made_up_names.txt")
    train, test = (planted_sentences.pieces("t", 400, names, 1)[split] for split in ("train", "test"))
    assert (len(train), len(test)) == (300, 100)
    # the first word of a sentence is no name
    used = [{word for one in of_split for word in one.tokens[1:] if word.istitle()} for of_split in (train, test)]
    assert not used[0] & used[1]
    for word in used[0] | used[1]:
        assert any(word.startswith(name[:3]) for name in names)
        assert any(word.endswith(name[3:]) for name in names)
    for sentence in (*train, *test):
        assert sentences.fault(sentence.tags) is None
        for word, before, tag in zip(sentence.tokens[1:], sentence.tokens, sentence.tags[1:], strict=False):
            assert (tag != "O") == word.istitle()
            assert not tag.startswith("B-") or before in planted_sentences.CUES[tag[2:]]
        types = [tag[2:] for tag in sentence.tags if tag.startswith("B-")]
        assert len(set(types)) == len(types)
