"""Readers of lists: what they hold, and what a faulty one says."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.metrics.word_associations.toy import ENTRY, HERE
from tests.refusals import refused

from herbarium.metrics.word_associations import lists, stimuli
from herbarium.metrics.word_associations.sembias import NONE

FOLDER = {
    "definition": "masculine,feminine,held_out\nuncle,aunt,\nking,queen,yes\n",
    "stereotype": "masculine,feminine\nbuilder,cleaner\n",
    "none": "one,other\napple,pear\nspoon,fork\n",
}


def folder(path, **spoiled):
    for name, text in (FOLDER | spoiled).items():
        (path / f"{name}.csv").write_text(text)
    return path


def written(path, text):
    (path / "list").write_text(text)
    return path / "list"


def test_the_authors_format(tmp_path):
    text = "uncle:aunt\tdog:cat\tcup:lid\tdoctor:nurse\nuncle:aunt\tcat:dog\tcup:lid\tboss:stylist\n"
    result = lists.read_sembias(written(tmp_path, text))
    assert result.rows.tolist() == [[0, 1, 2, 3], [0, 4, 2, 5]]
    assert not result.in_subset.any()  # it is not their file of 440 rows
    assert result.category.count(NONE) == 3


TEST = "role,set,word\nX,x,a\nX,x,b\nY,y,c\nY,y,d\nA,a,e\nA,a,f\nB,b,g\nB,b,h\n"


@pytest.mark.parametrize(
    ("reader", "text", "fault"),
    [
        ("sembias", "uncle:aunt\tdog:cat\tcup:lid\n", ("list, line 1", "4 pairs", "'a:b'")),
        ("sembias", "uncle:aunt\tdog:\tcup:lid\ta:b\n", ("list, line 1", "4 pairs", "'a:b'")),
        ("sembias", "c:d\te:f\tg:h\ta:b\na:b\te:f\tg:h\ti:j\n", ("list, line 2", "'a:b'", "definition", "stereotype")),
        ("pairs", "male,female\nhe,he\n", (None, "'he'")),
        ("test", TEST.replace("B,b,g\nB,b,h\n", ""), (None, "0 sets", "B")),
        ("test", TEST.replace("X,x,b", "X,z,b"), (None, "2 sets", "X")),
        ("test", TEST.replace("B,b,h\n", ""), (None, "set B, b")),
        ("test", TEST.replace("Y,y,c", "Y,y,a"), (None, "'a'")),
        ("test", TEST + "C,c,i\n", (None, "'C'", "X, Y, A, B")),
        ("similarities", "cat\tdog\t1\ncat dog 1\n", (None, "2", "'cat dog 1'")),
        ("similarities", "a\tb\tscore\n", ("list",)),
        ("analogies", "a b c\n", (None, "3", "4")),
        ("analogies", "a b c a\n", (None, "'a'")),
        ("analogies", ": capitals\n", ("list",)),
    ],
)
def test_a_faulty_file_is_told(tmp_path, reader, text, fault):
    with refused(*fault):
        getattr(lists, f"read_{reader}")(written(tmp_path, text))


@pytest.mark.parametrize(
    ("spoiled", "told"),
    [
        ({"none": "one,other\napple,pear\n"}, "two"),
        ({"definition": "masculine,feminine,held_out\nuncle,aunt,no\n"}, "'held_out'"),
        ({"stereotype": "masculine,feminine\naunt,uncle\n"}, "'aunt:uncle'"),
        ({"stereotype": "masculine\nbuilder\n"}, "'feminine'"),
        ({"stereotype": "masculine,feminine\na,b\na,b\n"}, "twice"),
    ],
)
def test_a_faulty_folder(tmp_path, spoiled, told):
    with refused(None, told):
        lists.read_sembias(folder(tmp_path, **spoiled))


def test_shares_of_women(tmp_path):
    path = written(tmp_path, "occupation,women\ncook,3\nnurse,many\n")
    assert lists.read_occupations(path, None)[1] is None
    for column, *told in (("women", "2", "'many'", "'women'"), ("men", "'men'")):
        with refused(None, *told):
            lists.read_occupations(path, column)


def test_a_folder_is_a_product(tmp_path):
    result = lists.read_sembias(folder(tmp_path))
    assert len(result) == 2
    assert result.in_subset.tolist() == [False, True]
    assert [path.name for path in lists.sembias_files(tmp_path)] == ["definition.csv", "stereotype.csv", "none.csv"]


def test_published_tests_have_eight_words_a_set():
    for name in ("career_family", "math_arts", "science_arts"):
        words, names = lists.read_test(HERE / f"tests/{name}.csv")
        assert [len(words[role]) for role in lists.ROLES] == [8] * 4
        assert len(set(names.values())) == 4


def test_similarities_and_analogies(tmp_path):
    pairs, scores = lists.read_similarities(written(tmp_path, "Word 1\tWord 2\tmean\ncat\tdog\t7.5\ncup\tsea\t1\n"))
    assert pairs == [("cat", "dog"), ("cup", "sea")]
    np.testing.assert_array_equal(scores, [7.5, 1])
    text = ": capitals\nAthens Greece Oslo Norway\n: sex\nhe she king queen\n"
    questions, sections = lists.read_analogies(written(tmp_path, text))
    assert questions[1] == ("he", "she", "king", "queen")
    assert sections == ["capitals", "sex"]


def test_the_record_of_lists_is_plain_and_keeps_their_order(tmp_path):
    similar = written(tmp_path, "cat\tdog\t7.5\ncup\tsea\t1\n")
    (questions := tmp_path / "questions").write_text(": family\nhe she uncle aunt\n")
    read = stimuli.read(ENTRY | {"similarity": {"men": similar}, "analogies": {"family": questions}})
    record = json.loads(json.dumps(stimuli.as_record(read), sort_keys=True))
    again = stimuli.from_record(record)
    assert stimuli.as_record(again) == stimuli.as_record(read)
    pd.testing.assert_frame_equal(stimuli.words(again), stimuli.words(read))
    for lists_of in (read, again):
        assert lists_of.sembias["own"].rows.dtype.kind == "i"
        assert lists_of.sembias["own"].in_subset.dtype == bool
        assert lists_of.occupations["jobs"][1].dtype == lists_of.similarity["men"][1].dtype == float
        assert list(lists_of.directions) == ["he-she", "ten"]


def test_every_word_once_and_what_a_planted_source_knows_of_it():
    words = stimuli.words(stimuli.read(ENTRY)).set_index("text")
    assert words.index.is_unique
    assert words.loc["he", ["gender", "lean"]].tolist() == [1, 0]
    assert words.loc["queen", "gender"] == -1
    assert words.loc["builder", "lean"] == 1
    assert words.loc["apple", ["gender", "lean"]].tolist() == [0, 0]
    assert words.loc["carpenter", "lean"] == 1  # the pair's; 2 per cent of women
    assert words.loc["laborer", "lean"] == pytest.approx(1 - 2 * (4 - 2) / (95 - 2))
    assert words.loc["career", "lean"] == 1
    assert words.loc["John", ["gender", "lean"]].tolist() == [1, 0]  # one of the pairs of a direction
    assert (words.loc[words["gender"] != 0, "lean"] == 0).all()


def test_sentences_of_a_test():
    test = stimuli.Test(*lists.read_test(HERE / "tests/career_family.csv"), ["This is [word].", "A [word]!"])
    result = stimuli.sentences(test)
    assert len(result) == 64
    assert result["text"].tolist()[:2] == ["This is John.", "A John!"]
    assert (result["end"] == result["text"].str.len()).all()
    with refused(None, "'This is it.'", "[word]"):
        lists.check_templates(["This is it."])
