import pytest
from pydantic import ValidationError
from tests.refusals import refused

from herbarium.study import config
from herbarium.vectors.section import Source

MODELS = {"tiny": {"planted": 1.0, "kind": "masked"}}
COMMIT = "0" * 40
GLOVE = {"corpus": "own", "method": "glove"}
GN = {"corpus": "own", "method": "gn_glove"}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "words.vec"
    path.write_text("he 1 2\nshe 3 4\n")
    return str(path)


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ({}, ("'model'", "'path'", "'planted'", "'trained'", "'debiased'")),
        ({"model": "tiny", "planted": 1.0}, ("'model'", "'path'", "'planted'", "'trained'", "'debiased'")),
        ({"planted": 1.0, "layers": "all"}, ("'layers'", "'model'")),
        ({"model": "tiny", "rotated": True}, ("'rotated'", "'planted'")),
        ({"model": "tiny", "lowercase": True}, ("'lowercase'", "'path'")),
        ({"model": "tiny", "layers": [1, 1]}, ("layers", "once")),
        ({"model": "tiny", "layers": []}, ("layers", "once")),
        ({"path": "no.vec"}, ("no.vec",)),
        ({"hub": "of/vectors", "path": "en.vec"}, ("'hub'", "'revision'")),
        ({"git": "https://example.org/v", "path": "en.vec"}, ("'git'", "'revision'")),
        ({"trained": GLOVE | {"part": "neutral"}}, ("'part'", "'method: gn_glove'")),
        (
            {"trained": GLOVE | {"pairs": {"table": "resources/swaps/english_gender.csv"}}},
            ("'pairs'", "'method: gn_glove'"),
        ),
        ({"trained": GN | {"variant": "released", "definition": "l2"}}, ("definition", "'l1'", "'l2'")),
        (
            {"trained": GN | {"pairs": {"masculine": "resources/herb/descriptions/mind.txt"}}},
            ("'masculine'", "'feminine'"),
        ),
        ({"trained": GN | {"pairs": {"table": "no.csv"}}}, ("no.csv",)),
        ({"trained": GN | {"dimensions": 1}}, ("2",)),
    ],
)
def test_a_faulty_source_is_told(entry, fault):
    with refused(None, *fault, kind=ValidationError):
        Source.model_validate(entry)


def test_a_file_is_looked_at_before_the_first_job(tmp_path, file):
    assert Source.model_validate({"path": file}).entry["path"] == file
    (tmp_path / "page.vec").write_text("<html> page\n")
    with refused(None, "page.vec, line 1", kind=ValidationError):
        Source.model_validate({"path": str(tmp_path / "page.vec")})


def test_a_file_of_the_hub_is_fetched_by_its_job(file):
    source = {"hub": "of/vectors", "revision": COMMIT, "path": "en.vec"}
    study = config.load({"models": MODELS, "vectors": {"wiki": source, "mine": {"path": file}}})
    from herbarium.vectors import targets

    ((key, entry, is_data, rule, wildcards),) = targets.targets(study).sources
    assert (key, is_data, rule, wildcards) == ("vectors.wiki", False, "represent", {"source": "wiki"})
    assert entry["files"] == ["en.vec"]


def test_a_source_of_a_model_that_is_not_there_is_told():
    with refused("vectors.v.model", "'tyni'", "tiny"):
        config.load({"models": MODELS, "vectors": {"v": {"model": "tyni"}}})


def test_a_neutralised_model_has_no_vectors_of_its_own():
    derived = {"derived": {"from": "tiny", "by": {"recipe": "neutralised", "terms": "gender"}}}
    with refused("vectors.v.model", "'mean'", "neutralised"):
        config.load({"models": MODELS | {"mean": derived}, "vectors": {"v": {"model": "mean"}}})


@pytest.fixture
def corpora(tmp_path):
    (tmp_path / "own.txt").write_text("he is\nshe is\n")
    return {"own": {"path": str(tmp_path / "own.txt")}}


@pytest.mark.parametrize(
    ("sources", "fault"),
    [
        ({"v": {"trained": GN | {"corpus": "onw"}}}, ("vectors.v.trained.corpus", "'onw'", "'own'")),
        ({"v": {"debiased": {"from": "w"}}}, ("vectors.v.debiased.from", "'w'", "v")),
        (
            {"v": {"debiased": {"from": "w"}}, "w": {"model": "tiny", "layers": "all"}},
            ("vectors.v.debiased.from", "'w'", "sentence"),
        ),
        ({"v": {"debiased": {"from": "v"}}}, ("vectors.v.debiased.from", "'v'", "debiased")),
    ],
)
def test_what_a_source_is_made_from_must_be_there(sources, fault, corpora):
    with refused(*fault):
        config.load({"models": MODELS, "corpora": corpora, "vectors": sources})


def test_vectors_that_differ_by_their_part_alone_are_trained_once(corpora):
    sources = {
        "gn": {"trained": GN},
        "l2": {"trained": GN | {"definition": "l2"}},
        "neutral": {"trained": GN | {"part": "neutral"}},
        "glove": {"trained": GLOVE},
    }
    study = config.load({"models": MODELS, "corpora": corpora, "vectors": sources})
    assert study.sources_of_vectors.trained == {"gn": "gn", "l2": "l2", "neutral": "gn", "glove": "glove"}


def test_pairs_are_a_table_or_two_lists_or_ours(tmp_path):
    (tmp_path / "m.txt").write_text("he\n")
    (tmp_path / "f.txt").write_text("she\n")
    lists = {"masculine": str(tmp_path / "m.txt"), "feminine": str(tmp_path / "f.txt")}
    trained = Source.model_validate({"trained": GN | {"pairs": lists}}).trained
    assert trained.lists == [tmp_path / "m.txt", tmp_path / "f.txt"]
    assert [path.name for path in Source.model_validate({"trained": GN}).trained.lists] == ["english_pairs.csv"]
    assert Source.model_validate({"trained": GLOVE}).trained.lists == []
    (tmp_path / "pairs.csv").write_text("male,female\nhe,she\nshe,he\n")
    with refused(None, "pairs.csv", "feminine", kind=ValidationError):
        Source.model_validate({"trained": GN | {"pairs": {"table": str(tmp_path / "pairs.csv")}}})
    with refused(None, "'table'", "'masculine'", "'feminine'", kind=ValidationError):
        Source.model_validate({"trained": GN | {"pairs": lists | {"table": str(tmp_path / "m.txt")}}})
