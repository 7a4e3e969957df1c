"""Repairs of files that others wrote."""

from collections import Counter
from pathlib import Path

import pytest
from tests.refusals import refused

from herbarium.metrics.sentence_sets import formats, repairs, winobias

OURS = "resources/sentence_sets/winobias_repairs.csv"
HEAD = "file,line,wrong,right"


@pytest.fixture
def written(tmp_path):
    def write(*rows, head=HEAD):
        path = tmp_path / "repairs.csv"
        path.write_text("\n".join(["# why", head, *rows]) + "\n", encoding="utf-8")
        return path

    return write


def test_words_of_a_line_are_replaced_and_nothing_else(written):
    result = repairs.read(written("a.txt,2,of she,she", "a.txt,2,!,", "b.txt,1,one,two"))
    assert repairs.repaired("folder/a.txt", ["of she one", "because of she!"], result) == ["of she one", "because she"]


@pytest.mark.parametrize(
    ("rows", "place", "fact"),
    [
        (["a.txt,0,x,y"], "row 1, column 'line'", "'0'"),
        (["a.txt,1,x,y", "a.txt,one,x,y"], "row 2, column 'line'", "'one'"),
        (["a.txt,1,,y"], "row 1, column 'wrong'", "empty"),
        ([",1,x,y"], "row 1", "''"),
    ],
)
def test_a_list_that_is_none_or_of_other_files_is_refused(written, rows, place, fact):
    with refused(f"repairs.csv, {place}", fact):
        repairs.read(written(*rows))
    result = repairs.read(written("a.txt,1,she,he"))
    for lines in (["he"], ["she and she"], []):
        with refused("folder/a.txt, line 1", "'she'"):
            repairs.repaired("folder/a.txt", lines, result)


@pytest.mark.slow
def test_ours_leave_one_fault_of_the_published_files_that_leaves_a_pair_out(shared):
    paths = winobias.files(Path(shared, "data/winobias"))
    left = formats.faults(formats.WINOBIAS, paths, OURS)
    assert Counter(left["fault"]) == {
        "several pronouns differ": 43,
        "the two sentences differ in more than pronouns of opposite gender": 1,
    }
    assert left[left["is_left_out"]][["file", "line"]].to_numpy().tolist() == [["pro_stereotyped_type2.txt.test", 382]]
    as_they_are, repaired = (formats.read(formats.WINOBIAS, paths, side) for side in (None, OURS))
    assert len(as_they_are) == 2 * 1565
    assert len(repaired) == 2 * 1583
    same = as_they_are.merge(repaired, on=["id", "marked"])
    assert len(as_they_are) - len(same) == 3  # one has another form of the pronoun, two a word twice


@pytest.mark.parametrize(
    "files",
    [
        ("pro_stereotype_type1.txt.dev", "pro_stereotyped_type1.txt.dev"),
        ("Pro_stereotyped_type1.txt.dev",),
        ("pro_stereotyped_type1.txt.test",),  # alone: of no file of the folder
    ],
)
def test_repairs_of_a_file_that_is_not_there_are_refused(written, files):
    paths = winobias.files(Path("resources/sentence_sets/winobias"))
    first = paths[0].read_text().splitlines()[0].split()[1]
    rows = [f"{name},1,{first},{first}" for name in files]
    with refused("repairs, column 'file'", files[0], "pro_stereotyped_type1.txt.dev"):
        formats.read(formats.WINOBIAS, paths, written(*rows))


def test_repairs_may_be_of_the_test_files_too():
    paths = winobias.files(Path("resources/sentence_sets/winobias"))
    assert len(paths) == 4
    first = paths[0].read_text().splitlines()[0].split()[1]
    repair = repairs.Repair(paths[0].name, 1, first, first)
    elsewhere = repair._replace(file="pro_stereotyped_type1.txt.test")
    assert winobias.read(paths, [repair, elsewhere]).equals(winobias.read(paths))
