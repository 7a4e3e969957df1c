"""What a study asks for of languages, and what of its configuration is refused."""

import json

import pytest
from tests.hub import commit
from tests.refusals import tells
from tests.study.configurations import faults

from herbarium.metrics.languages import targets as languages
from herbarium.study import config

ENGLISH, SPANISH = ({"source": name[:2], "lists": f"resources/languages/{name}"} for name in ("english", "spanish"))
BOTH = {"languages": {"en": ENGLISH, "es": SPANISH}}
DEMO = "resources/languages/demo/spanish-english"
ALIGNMENT = {"language": "es", "pivot": "en", "train": f"{DEMO}.train.txt", "test": f"{DEMO}.test.txt"}


def study(**spaces):
    return {
        "models": {"tiny": {"planted": 0.0, "kind": "masked"}},
        "vectors": {"en": {"planted": 1.0}, "sp": {"planted": 1.0, "rotated": True}},
        "languages": {"spaces": spaces},
    }


def test_changes_are_asked_for_where_a_source_is_a_change_of_another():
    hard = study(
        toy={"languages": {"en": ENGLISH, "endeb": ENGLISH | {"source": "hard"}}}, alone={"languages": {"en": ENGLISH}}
    )
    hard["vectors"]["hard"] = {"debiased": {"from": "en"}}
    loaded = config.load(hard)
    assert languages.compared(loaded, "toy") == [("en", "hard", "en", "hard")]
    assert languages.targets(loaded).changes == ["<work>/changes/languages/toy.parquet"]
    unchanged = languages.targets(config.load(study(toy=BOTH | {"alignments": [ALIGNMENT]})))
    assert unchanged.changes == unchanged.published == []


def test_published_figures_stand_beside_those_of_the_authors_lists_from_a_repository(tmp_path):
    folder = tmp_path / "lists" / "intrinsic"
    folder.mkdir(parents=True)
    for gender in ("male", "female"):
        (folder / f"xx_{gender}_def_occ").write_text(f"cook\tcook-{gender}\nsmith\tsmith-{gender}\n")
    (folder / "xx_gender_pairs.json").write_text(json.dumps([["she", "he"], ["woman", "man"]]))
    where = {"git": str(tmp_path / "lists"), "revision": commit(tmp_path / "lists")}
    entry = {"source": "en", "format": "mibs", "code": "xx", "lists": "intrinsic"} | where
    loaded = config.load(study(theirs={"languages": {"en": entry}}))
    assert languages.targets(loaded).published == ["<work>/published/languages.parquet"]
    assert languages.of_authors(loaded) == ["theirs"]
    assert len(loaded.languages.spaces["theirs"].languages["en"].read.occupations) == 2


@pytest.mark.parametrize(
    ("space", "told"),
    [
        ({"languages": {"en": ENGLISH | {"source": "eng"}}}, (None, "'eng'", "'en'")),
        ({"languages": {"en": ENGLISH | {"lists": "nowhere"}}}, (None, "nowhere/occupations.csv")),
        ({"languages": {"en": ENGLISH | {"code": "en"}}}, (None, "'code'", "'format: mibs'")),
        ({"languages": {"en": ENGLISH | {"format": "mibs"}}}, (None, "'code'", "'format: mibs'")),
        ({"languages": {"en": ENGLISH | {"vocabulary": "nowhere.txt"}}}, (None, "nowhere.txt")),
        ({"languages": {"en": ENGLISH}, "alignments": [ALIGNMENT]}, (None, "alignments.0.language", "'es'")),
        (BOTH | {"alignments": [ALIGNMENT, ALIGNMENT]}, (None, "'es-en'")),
        ({"languages": {"es": SPANISH}, "alignments": [ALIGNMENT | {"pivot": "es"}]}, (None, "'es'")),
        (BOTH | {"alignments": [ALIGNMENT | {"test": f"{DEMO}.train.txt"}]}, (None, "114 of its 114")),
        ({"languages": {"en": ENGLISH, "EN": ENGLISH}}, (None, "'en'", "'EN'")),
    ],
)
def test_faults_of_the_configuration(space, told):
    assert tells(faults(study(toy=space)), *told)


def test_tests_that_could_find_nothing_are_told(tmp_path):
    (tmp_path / "occupations.csv").write_text("concept,masculine,feminine\na,b,c\nd,e,f\n")
    (tmp_path / "seeds.csv").write_text("concept,masculine,feminine\nm,n,o\np,q,r\n")
    loaded = config.load(study(few={"languages": {"en": ENGLISH | {"lists": str(tmp_path)}}}))
    assert ["languages.spaces.few" in message for message in loaded.undecidable] == [True]
