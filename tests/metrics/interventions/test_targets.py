"""What a study asks for of interventions, and what of its configuration is refused."""

from pathlib import Path

import pytest
from tests.hub import commit
from tests.refusals import tells
from tests.study.configurations import faults

from herbarium.metrics.interventions import formats
from herbarium.metrics.interventions import targets as interventions
from herbarium.study import config

DEMO = "resources/interventions/demo"


@pytest.fixture
def study(model_folder):
    def values(**questions):
        models = {
            "real": {"path": str(model_folder("bert")), "kind": "masked"},
            "weak": {"planted": 1.0, "kind": "masked"},
            "text": {"path": str(model_folder("bart")), "kind": "seq2seq"},
            "qa": {"path": "qa", "kind": "extractive"},
        }
        return {"models": models, "interventions": {"questions": questions}}

    return values


def test_a_set_of_questions_is_of_its_models_each_in_the_form_of_its_kind(study):
    asked = {"one": {"table": DEMO, "models": ["weak", "qa"]}, "two": {"table": DEMO, "models": ["real"]}}
    planned = interventions.targets(config.load(study(**asked)))
    scored = [("weak", "one/fill"), ("qa", "one/span"), ("real", "two/fill")]
    assert planned.scored == [(model, f"interventions/{name}") for model, name in scored]
    assert planned.shards == {f"interventions/{name}": 1 for _, name in scored}
    assert planned.planted == {"weak": ["<work>/testbed/text/interventions/weak.parquet"]}
    assert planned.changes == []


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"models": ["reel"]}, (None, "'reel'", "'real'")),
        ({"models": ["text"]}, (None, "'text'")),
        ({"table": "nowhere"}, (None, "nowhere/templates.csv")),
        ({"git": "https://example.org/a.git"}, (None, "'git'", "'revision'", "40")),
        ({"format": "lei", "table": f"{DEMO}/subjects.txt"}, (None, "subjects.txt")),
        ({"format": "lei", "max_pairs": 3}, (None, "'max_pairs'", "'format: lists'")),
        ({"subjects": {"file": "nobody.txt"}}, (None, "nobody.txt")),
    ],
)
def test_what_is_wrong_is_told_with_its_key(study, entry, told):
    messages = faults(study(asked={"table": DEMO, "models": ["real"]} | entry))
    assert tells(messages, *told)
    assert tells(messages, None, "interventions.questions.asked")


def test_the_authors_lists_of_subjects_are_those_of_a_commit(study, tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "country").write_text("[subj] Chile\n[subj] Mali\n[subj:dem] Chilean\n[subj:dem] Malian\n")
    revision = commit(folder)
    (folder / "country").write_text("[subj:dem] Changed\n[subj:dem] Later\n")
    commit(folder)
    subjects = {"git": folder.as_uri(), "revision": revision, "file": "country", "mark": "subj:dem"}
    loaded = config.load(study(asked={"table": DEMO, "models": ["real"], "subjects": subjects}))
    entry = loaded.interventions.questions["asked"]
    assert {question.subjects for question in formats.read(entry.entry, 0)} == {("Chilean", "Malian")}
    assert Path(entry.files[-1]).name == "country"
    others = study(asked={"table": DEMO, "models": ["weak"], "subjects": subjects})
    assert config.load(others).interventions.questions["asked"].entry == entry.entry  # whoever is asked
