"""What a study asks for of word associations, and what of its configuration is refused."""

import pytest
from tests.metrics.word_associations.toy import HERE, WOMEN
from tests.refusals import tells
from tests.study.configurations import faults

from herbarium.metrics.word_associations import targets as word_associations
from herbarium.study import config

SEMBIAS = {"own": {"table": str(HERE / "sembias")}}
TEST = {"words": str(HERE / "tests/career_family.csv")}


def study(**section):
    return {
        "models": {"tiny": {"planted": 0.0, "kind": "masked"}},
        "vectors": {
            "known": {"planted": 1.0},
            "words": {"model": "tiny"},
            "layers": {"model": "tiny", "layers": "all"},
        },
        "word_associations": section,
    }


def test_planted_sources_alone_are_calibrated():
    section = {"sources": ["known", "layers"], "sembias": SEMBIAS, "tests": {"a": TEST}}
    loaded = config.load(study(**section), [])
    assert word_associations.targets(loaded).changes == []
    assert word_associations.planted(loaded) == {"known": 1.0}
    assert loaded.sources_of_vectors.models(loaded.word_associations.sources) == ["tiny"]
    assert word_associations.targets(config.load(study(**section | {"sources": ["layers"]}), [])).calibration == []


def test_changes_are_asked_for_where_a_source_is_a_change_of_another():
    hard = study(sources=["known", "hard"], tests={"a": TEST})
    hard["vectors"]["hard"] = {"debiased": {"from": "known"}}
    metric_targets = word_associations.targets(config.load(hard, []))
    assert metric_targets.changes == ["<work>/changes/word_associations.parquet"]
    assert metric_targets.items == []  # leans alone are means of single values


def test_tests_in_sentences_are_of_sources_that_read_them():
    seat = TEST | {"templates": ["This is [word]."], "sources": ["layers"]}
    loaded = config.load(study(sources=["known", "layers"], tests={"seat": seat, "weat": TEST}), [])
    assert word_associations.in_sentences(loaded, "layers") == {"seat": "test-seat"}
    assert word_associations.in_sentences(loaded, "known") == {}
    assert loaded.word_associations.of_test("weat") == ["known", "layers"]
    message = faults(study(sources=["known"], tests={"seat": seat | {"sources": []}}))
    assert tells(message, "word_associations.tests.seat", "'known'")


def test_analogies_are_answered_among_all_words_of_sources_that_say_which_these_are(tmp_path):
    (tmp_path / "few.vec").write_text("he 1 2\nshe 2 1\n")
    (tmp_path / "analogies.txt").write_text("he she king queen\n")
    known = study(sources=["known", "words", "file", "file-hard", "known-hard", "glove"], sembias=SEMBIAS)
    known["corpora"] = {"texts": {"planted": "tiny"}}
    known["vectors"] |= {
        "file": {"path": str(tmp_path / "few.vec")},
        "glove": {"trained": {"corpus": "texts", "method": "glove"}},
        "file-hard": {"debiased": {"from": "file"}},
        "known-hard": {"debiased": {"from": "known"}},
    }
    assert word_associations.vocabularies(config.load(known, [])) == {}
    known["word_associations"]["analogies"] = {"few": str(tmp_path / "analogies.txt")}
    files = {"file": "file", "file-hard": "file", "glove": "glove"}
    assert word_associations.vocabularies(config.load(known, [])) == files


def test_lists_are_inputs():
    section = {"sources": ["known"], "sembias": SEMBIAS, "occupations": {"jobs": WOMEN}, "tests": {"a": TEST}}
    files = config.load(study(**section), []).word_associations.files
    assert [file.rpartition("/")[2] for file in files] == [
        *("pairs.csv", "definition.csv", "stereotype.csv", "none.csv", "winobias_women.csv", "career_family.csv")
    ]


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ({"sources": ["known"]}, (None, "word_associations")),
        ({"sources": ["knwon"], "sembias": SEMBIAS}, (None, "'knwon'", "'known'")),
        ({"sembias": {"own": {"table": "nowhere.txt"}}}, (None, "nowhere.txt")),
        ({"occupations": {"jobs": WOMEN | {"women": "men"}}}, (None, "'men'")),
        ({"tests": {"a": TEST | {"templates": ["This is it."]}}}, (None, "[word]")),
        ({"sources": ["known"], "tests": {"a": TEST | {"sources": ["words"]}}}, (None, "'words'", "`sources`")),
        ({"directions": {}}, (None, "directions")),
        ({"directions": {"x": {"pairs": "none.csv"}}}, (None, "none.csv")),
        ({"sembias": {"own": {"table": "a", "git": "https://example.org/a.git"}}}, (None, "'git'", "'revision'")),
    ],
)
def test_what_is_wrong_is_told(section, told):
    messages = faults(study(**section))
    assert tells(messages, *told)
    assert tells(messages, None, "word_associations")
