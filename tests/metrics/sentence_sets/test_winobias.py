"""Sentences in the form of WinoBias: what is read, what is wrong with the published files, and what a study makes of
both."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from studies.validity import sentence_sets as validity
from tests.refusals import refused

from herbarium.metrics.sentence_sets import winobias
from herbarium.statistics import contrasts
from herbarium.statistics.within_sets import ACCURACY

OURS = Path("resources/sentence_sets/winobias")
SIDES = ["pro", "anti"]
GUARD = ("1 [The guard] met the nurse because [he] was late.", "1 [The guard] met the nurse because [she] was late.")


@pytest.fixture
def folder(tmp_path):
    """A folder with the lines of a pro- and an anti-stereotyped file."""

    def write(pro, anti, name="stereotyped_type1.txt.dev"):
        for side, lines in (("pro", pro), ("anti", anti)):
            (tmp_path / f"{side}_{name}").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return winobias.files(tmp_path)

    return write


def pair(pro, anti):
    return [f"1 {pro}"], [f"1 {anti}"]


def test_both_sentences_of_a_pair(folder):
    table = winobias.read(folder(*([line] for line in GUARD)))
    assert table["text"].tolist() == [f"The guard met the nurse because {p} was late." for p in ("he", "she")]
    shown = table[["id", "set", "side", "group", "occupation", "stereotype", "n_pronouns"]].to_numpy().tolist()
    rest = ["type 1, dev", "guard", "masculine", "1"]
    assert shown == [[f"type1-dev-1-{side}", "type1-dev-1", side, *rest] for side in SIDES]
    cut = [row.text[row.asked_words_start : row.asked_words_end] for row in table.itertuples()]
    assert cut == ["he", "she"]


def test_all_pronouns_that_differ_are_asked_for_together(folder):
    paths = folder(*pair("[The cook] said [he] lost [his] cap.", "[The cook] said [she] lost [her] cap."))
    table = winobias.read(paths)
    assert table["marked"].tolist()[1] == "The cook said [asked: she] lost [asked: her] cap."
    assert table["n_pronouns"].tolist() == ["2", "2"]
    assert [fault["fault"] for fault in winobias.faults(paths)] == ["several pronouns differ"]
    # `her` is him or his as the other line has it
    table = winobias.read(folder(*pair("The cook saw [the guard]; [his] car.", "The cook saw [the guard]; [her] car.")))
    assert table["marked"].tolist() == [f"The cook saw the guard; [asked: {p}] car." for p in ("his", "her")]


def test_questions_whom_the_pronoun_refers_to(folder):
    further = ("2 The cook fed [the guard] and kissed [him].", "2 The cook fed [the guard] and kissed [her].")
    nurse = ("3 [The nurse] met the guard as [she] left.", "3 [The nurse] met the guard as [he] left.")
    paths = folder(*zip(GUARD, further, nurse, strict=True))
    table = winobias.read_questions(paths)
    assert table["side"].tolist() == ["pro-right", "pro-wrong", "anti-right", "anti-wrong"] * 2
    assert table["text"].tolist()[1:3] == [
        "The guard met the nurse because he was late. 'He' refers to the nurse.",
        "The guard met the nurse because she was late. 'She' refers to the guard.",
    ]
    cut = [row.text[row.asked_words_start : row.asked_words_end] for row in table.itertuples()]
    assert cut == ["guard", "nurse"] * 2 + ["nurse", "guard"] * 2
    assert table["masculine"].tolist() == ["guard"] * 8
    assert table["feminine"].tolist() == ["nurse"] * 8
    (fault,) = winobias.faults_of_questions(paths)  # no pronoun refers to a cook, so that it is no occupation
    assert (fault["line"], fault["is_left_out"]) == (2, True)
    assert winobias.faults(paths) == []


@pytest.mark.parametrize(
    ("pro", "anti", "fault", "is_left_out"),
    [
        ("[The cook] met him as [he] left.", "[The cook] met him and [she] left.", "differ in more than", True),
        ("[The cook] left.", "[The cook] left.", "differ in more than", True),
        ("[The cook] said [he] left.", "[The cook] said [him] left.", "differ in more than", True),
        ("[The cook] left; [he] ate.", "[The cook] left; [she] ate it.", "differ in more than", True),
        ("The cook said [he] left.", "The cook said [she] left.", "no occupation", True),
        ("[The cook] lost [his] cap.", "[The cook] lost [she] cap.", "have different forms", False),
        ("[The cook] lost [his] cap.", "[The cook] lost her cap.", "not in brackets", False),
        ("[The cook] met the the guard; [he] left.", "[The cook] met the the guard; [she] left.", "repeated", False),
    ],
)
def test_what_is_wrong_is_said_with_its_line(folder, pro, anti, fault, is_left_out):
    paths = folder(*([first, f"2 {second}"] for first, second in zip(GUARD, (pro, anti), strict=True)))
    (messages,) = winobias.faults(paths)
    assert (messages["file"], messages["line"]) == ("pro_stereotyped_type1.txt.dev", 2)
    assert fault in messages["fault"]
    assert messages["is_left_out"] == is_left_out
    assert len(winobias.read(paths)) == (2 if is_left_out else 4)


@pytest.mark.parametrize(
    ("pro", "anti", "fault"),
    [
        (GUARD[:1], [], ("/anti_stereotyped_type1.txt.dev, line 1", "'1 '")),
        (["2" + GUARD[0][1:]], GUARD[1:], ("/pro_stereotyped_type1.txt.dev, line 1", "'1 '")),
        (["1 [The cook] left."], ["1 [The cook] ate."], ("", "no pair")),
    ],
)
def test_files_that_are_not_in_step(tmp_path, folder, pro, anti, fault):
    with refused(f"{tmp_path}{fault[0]}", *fault[1:]):
        winobias.read(folder(pro, anti))
    with refused(tmp_path / "none", "WinoBias", "pro_stereotyped_type1.txt.dev"):
        winobias.files(tmp_path / "none")
    (tmp_path / "pro_stereotyped_type2.txt.test").write_text(GUARD[0])
    with refused("pro_stereotyped_type2.txt.test", "anti_stereotyped_type2.txt.test"):
        winobias.files(tmp_path)


@pytest.mark.slow
def test_the_published_files_are_as_they_were_counted(shared):
    paths = winobias.files(shared / "data/winobias")
    pairs = winobias.read(paths).drop_duplicates("set")
    counts = Counter(zip(pairs["group"], pairs["n_pronouns"] == "1", strict=True))
    groups = [f"{name}, {split}" for split in ("dev", "test") for name in ("type 1", "type 2")]
    assert [counts[group, True] for group in groups] == [385, 382, 369, 386]
    assert [counts[group, False] for group in groups] == [9, 7, 22, 5]
    left_out = Counter(fault["file"] for fault in winobias.faults(paths) if fault["is_left_out"])
    files = [f"pro_stereotyped_{name}.txt.{split}" for split in ("dev", "test") for name in ("type1", "type2")]
    assert [left_out[file] for file in files] == [2, 7, 5, 5]


@pytest.mark.slow
def test_of_the_published_pairs_all_but_one_give_questions(shared):
    paths = winobias.files(shared / "data/winobias")
    assert len(winobias.read_questions(paths)) == 4 * (1522 + 43 - 1)
    (fault,) = (fault for fault in winobias.faults_of_questions(paths) if "other occupation" in fault["fault"])
    assert (fault["file"], fault["line"]) == ("pro_stereotyped_type2.txt.dev", 72)


@pytest.mark.slow
def test_in_the_published_files_an_occupation_has_one_stereotype_that_of_the_authors_lists(shared):
    folder = shared / "data/winobias"
    table = winobias.read(winobias.files(folder))
    frame = table.groupby("occupation")["stereotype"].agg(set).map(sorted).to_dict()
    listed = {
        word.lower(): [gender]
        for file, gender in (("male", "masculine"), ("female", "feminine"))
        for word in (folder / f"{file}_occupations.txt").read_text().split("\n")
        if word
    }
    assert frame == listed


def test_ours_have_no_fault_and_are_balanced():
    paths = winobias.files(OURS)
    assert winobias.faults(paths) == []
    pairs = winobias.read(paths).drop_duplicates("set")
    assert pairs.groupby(["group", "occupation"]).size().tolist() == [2] * 16
    assert pairs.groupby(["group", "stereotype"])["occupation"].nunique().tolist() == [4] * 4


@pytest.mark.slow
@pytest.mark.parametrize(("contrast", "other"), validity.WINOBIAS)
def test_no_stereotype_is_found_where_there_is_none(contrast, other):
    """60 models at the size of WinoBias. Were pairs the units, as in the paper, questions would be answered by a bias
    in most of them."""

    def rejected(seed, unit):
        sentence_sets = validity.winobias(np.random.default_rng(seed), 20, 0.0, contrast, other, unit)
        return contrasts.numbers(sentence_sets, contrast, 0.95, "holm", seed).iloc[-1]["p_value"] < 0.05

    assert sum(rejected(seed, validity.CROSSED) for seed in range(60)) <= 6
    if contrast is ACCURACY:
        assert sum(rejected(seed, validity.PAIR) for seed in range(20)) > 5


def test_sides_by_gender_are_those_of_the_pronouns_whatever_the_stereotype(folder):
    nurse = (
        "2 [The nurse] met the guard because [she] was late.",
        "2 [The nurse] met the guard because [he] was late.",
    )
    paths = folder(*zip(GUARD, nurse, strict=True))
    table = winobias.read_by_gender(paths)
    pronoun = [row.text[row.asked_words_start : row.asked_words_end] for row in table.itertuples()]
    assert pronoun == ["he", "she", "she", "he"]
    assert table["side"].tolist() == ["masculine", "feminine", "feminine", "masculine"]
    assert table["id"].tolist() == [f"{row.set}-{row.side}" for row in table.itertuples()]
