import pytest
from pydantic import ValidationError

from herbarium.core.errors import HerbariumError
from herbarium.study import config
from herbarium.vectors.section import Source

MODELS = {"tiny": {"planted": 1.0, "kind": "masked"}}
COMMIT = "0" * 40


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "words.vec"
    path.write_text("he 1 2\nshe 3 4\n")
    return str(path)


@pytest.mark.parametrize(
    ("entry", "what"),
    [
        ({}, "exactly one of 'model', 'path' and 'planted'"),
        ({"model": "tiny", "planted": 1.0}, "exactly one of"),
        ({"planted": 1.0, "layers": "all"}, "'layers' belongs to 'model'"),
        ({"model": "tiny", "rotated": True}, "'rotated' belongs to 'planted'"),
        ({"model": "tiny", "lowercase": True}, "'lowercase' belongs to 'path'"),
        ({"model": "tiny", "layers": [1, 1]}, "name each layer once"),
        ({"model": "tiny", "layers": []}, "name each layer once"),
        ({"path": "no.vec"}, "cannot be read"),
        ({"hub": "of/vectors", "path": "en.vec"}, "'hub' needs its 'revision'"),
        ({"git": "https://example.org/v", "path": "en.vec"}, "belong together"),
    ],
)
def test_a_faulty_source_is_told(entry, what):
    with pytest.raises(ValidationError, match=what):
        Source.model_validate(entry)


def test_a_file_is_looked_at_before_the_first_job(tmp_path, file):
    assert Source.model_validate({"path": file}).entry["path"] == file
    (tmp_path / "page.vec").write_text("<html> page\n")
    with pytest.raises(ValidationError, match=r"page\.vec, line 1: wanted are a word and its numbers"):
        Source.model_validate({"path": str(tmp_path / "page.vec")})


def test_a_file_of_the_hub_is_fetched_by_its_job(file):
    source = {"hub": "of/vectors", "revision": COMMIT, "path": "en.vec"}
    study = config.load({"models": MODELS, "vectors": {"wiki": source, "mine": {"path": file}}})
    from herbarium.vectors import targets

    ((key, entry, is_data, rule, wildcards),) = targets.targets(study).sources
    assert (key, is_data, rule, wildcards) == ("vectors.wiki", False, "represent", {"source": "wiki"})
    assert entry["files"] == ["en.vec"]


def test_a_source_of_a_model_that_is_not_there_is_told():
    with pytest.raises(HerbariumError, match=r"vectors\.v\.model: .*'tyni'.*tiny"):
        config.load({"models": MODELS, "vectors": {"v": {"model": "tyni"}}})


def test_a_neutralised_model_has_no_vectors_of_its_own():
    derived = {"derived": {"from": "tiny", "by": {"recipe": "neutralised", "terms": "gender"}}}
    with pytest.raises(HerbariumError, match=r"vectors\.v\.model: 'mean' is neutralised: vectors are"):
        config.load({"models": MODELS | {"mean": derived}, "vectors": {"v": {"model": "mean"}}})
