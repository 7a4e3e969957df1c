"""Models that the hub does not give: found before a study is planned, and left out of all of it."""

import json
from pathlib import Path

import pytest
import yaml
from tests.hub import COMMIT, commit_of, serve

from herbarium.core.errors import HerbariumError
from herbarium.models import loading
from herbarium.models.section import Model, expanded
from herbarium.study import left_out

OFFLINE_PORT = "http://127.0.0.1:9"  # nothing listens there


def models(**entries):
    return expanded({name: Model.model_validate({"kind": "masked", **entry}) for name, entry in entries.items()})


def ask(of, tmp_path, before=(), asks=True):
    return left_out.ask(of, tmp_path / "lock.yaml", tmp_path / "results", dict(before), asks)


def hub(name, **more):
    return {"hub": f"org/{name}", "revision": COMMIT, **more}


@pytest.fixture
def repositories(model_folder):
    names = ("name", "gated", "run@step1")
    return {f"models/org/{name}": model_folder("bert") for name in names}


def test_the_hub_is_asked_for_commits_and_whether_it_gives_the_files(repositories, connect, tmp_path):
    of = models(
        there=hub("name"),
        gated=hub("gated"),
        gone=hub("gone"),
        rewritten=hub("name") | {"revision": "d" * 40},
        unpinned={"hub": "org/name"},
        unpinned_gone={"hub": "org/gone"},
        unpinned_gated={"hub": "org/gated"},
        run={"hub": "org/run", "checkpoints": ["step1", "step2"]},
        adapted=hub("name", adapter=hub("gated")),
        local={"path": "folder"},
    )
    with serve(repositories, gated=["models/org/gated"]) as address:
        connect(address)
        pins, refused = ask(of, tmp_path)
    assert pins == {"org/name": COMMIT, "org/gated": COMMIT, "org/run@step1": commit_of("step1")}
    assert refused.keys() == {
        *("gated", "gone", "rewritten", "unpinned_gone", "unpinned_gated", "run-step2", "adapted"),
    }
    for name, words in {"gated": "HF_TOKEN", "gone": "no such", "rewritten": "commit", "adapted": "org/gated"}.items():
        assert words in refused[name]
    assert f"'org/gated' at {COMMIT[:12]}:" in refused["unpinned_gated"]


def test_without_an_answer_nothing_is_pinned_and_what_the_hub_said_last_holds(repositories, connect, tmp_path):
    of = models(gated=hub("gated"), there=hub("name"), unpinned={"hub": "org/gone"})
    with serve(repositories, gated=["models/org/gated"]) as address:
        connect(address)
        _, refused = ask(of, tmp_path)
    assert refused.keys() == {"gated", "unpinned"}
    for address in (None, OFFLINE_PORT):
        connect(address)
        assert ask(of, tmp_path) == ({}, {})
        assert ask(of, tmp_path, refused) == ({}, refused)
        moved = of | models(gated={"hub": "org/gated", "revision": "d" * 40})
        assert ask(moved, tmp_path, refused).left_out.keys() == {"unpinned"}


def test_a_dry_run_does_not_ask(repositories, connect, tmp_path):
    with serve(repositories, gated=["models/org/gated"]) as address:
        connect(address)
        assert ask(models(gated=hub("gated"), unpinned={"hub": "org/name"}), tmp_path, asks=False) == ({}, {})


def test_what_is_in_the_cache_or_was_measured_stays(repositories, connect, tmp_path):
    with serve(repositories) as address:
        connect(address)
        loading.fetch("org/gated", COMMIT)
    (tmp_path / "results/models").mkdir(parents=True)
    (tmp_path / "results/models/measured.json").write_text(json.dumps({"revision": COMMIT}))
    of = models(cached=hub("gated"), measured=hub("gone"), again=hub("gone"))
    with serve(repositories, gated=["models/org/gated"]) as address:
        connect(address)
        assert ask(of, tmp_path).left_out.keys() == {"again"}


# --- the beginning of a run ---


def test_a_run_writes_pins_and_its_jobs_go_by_what_it_decided(repositories, connect, tmp_path):
    values = {
        "results": str(tmp_path / "results"),
        "lock": str(tmp_path / "lock.yaml"),
        "models": {
            "new": {"hub": "org/name"},
            "gated": hub("gated"),
            "toxic": {"derived": {"from": "gated", "by": {"recipe": "toxic"}}},
        },
    }
    with serve(repositories, gated=["models/org/gated"]) as address:
        connect(address)
        decided = left_out.begin(values, asks=True, is_job=False)
        with pytest.raises(HerbariumError, match=r"models\.gated: 'org/gated'"):
            left_out.begin({**values, "strict": True}, asks=True, is_job=False)
        with pytest.raises(HerbariumError, match=r"models\.gated: 'org/gated'"):
            left_out.begin({**values, "models": {"gated": hub("gated")}}, asks=True, is_job=False)
    assert loading.read_lock(tmp_path / "lock.yaml") == decided.pins == {"org/name": COMMIT}
    assert decided.left_out.keys() == {"gated", "toxic"}
    left_out.write(tmp_path / "results", decided.left_out)
    assert left_out.begin(values, asks=True, is_job=True) == ({}, decided.left_out)
    connect(None)
    assert left_out.begin(values, asks=True, is_job=False) == ({}, decided.left_out)
    left_out.write(tmp_path / "results", {})
    assert left_out.begin(values, asks=True, is_job=True) == ({}, {})


@pytest.mark.parametrize("models", [3, {"a": 3}, {"a": {"hub": 3}}, {"a": {"checkpoints": 3}}, None, {"a": None}])
def test_faults_of_the_configuration_are_left_to_its_reader(models, tmp_path):
    values = {"results": str(tmp_path), "models": models}
    assert left_out.begin(values, asks=False, is_job=False) == ({}, {})
    with pytest.raises(HerbariumError, match="not valid"):
        left_out.load(values, [], {"a": "gone"})


@pytest.mark.parametrize("text", ["", "[1]", '{"a": 3}', '{"a": "\\u001b[2J"}'])
def test_a_damaged_decision_is_refused_with_its_place(text, tmp_path):
    left_out.write(tmp_path, {"a": "gone"})
    (path,) = (file for file in tmp_path.rglob("*") if file.is_file())
    path.write_text(text)
    with pytest.raises(HerbariumError, match=path.name):
        left_out.read(tmp_path)


# --- a study without some models ---


def mentions(value, name):
    if isinstance(value, dict):
        return name in value or any(mentions(of, name) for of in value.values())
    return any(mentions(of, name) for of in value) if isinstance(value, list) else value == name


FULL = yaml.safe_load(Path("config/config.yaml").read_text())


@pytest.mark.parametrize("name", ["bert-base-cased", "bert-base-greek-uncased-v1", "xlm-roberta-base", "llama-3.1-8b"])
def test_the_full_study_can_do_without_any_of_its_models(name):
    study = left_out.load(FULL, [], {name: "gone"})
    assert set(FULL["models"]) - set(study.models) in ({name}, {name, f"{name}-toxic"})
    assert not mentions(study.model_dump(mode="json"), name)


def test_what_is_measured_of_nothing_else_goes_with_a_model():
    values = {
        "models": {name: {"path": name} for name in "abc"},
        "vectors": {"of_a": {"model": "a"}, "flat": {"debiased": {"from": "of_a"}}, "of_b": {"model": "b"}},
        "comparisons": [["a", "b"], ["b", "c"]],
        "sentence_sets": {"one": {"models": ["a"]}, "both": {"models": ["a", "b"], "table": "a"}},
        "herb": {"models": ["a"], "bootstrap": {"replicates": 3}},
        "mixed_effects": {"stimuli": {"x": {"models": ["a"]}}, "sensitivity": ["words"]},
        "word_associations": {"sources": ["of_a", "flat", "of_b"]},
        "gender_in_context": {"sets": {"x": {"vectors": ["flat"]}, "y": {"vectors": ["of_b"]}}},
        "downstream": {
            "tasks": {
                "only": {"models": ["a"]},
                "theirs": {"models": ["a"], "classifiers": {"t": {}}},
                "kept": {"models": ["a", "c"], "constrained": {"k": {"from": "a"}, "l": {"from": "c"}}},
            }
        },
        "propagation": {"tasks": ["only", "kept"]},
        "seed": 3,
    }
    before = json.dumps(values)
    assert left_out.without(values, ["a"]) == {
        "models": {name: {"path": name} for name in "bc"},
        "vectors": {"of_b": {"model": "b"}},
        "comparisons": [["b", "c"]],
        "sentence_sets": {"both": {"models": ["b"], "table": "a"}},
        "word_associations": {"sources": ["of_b"]},
        "gender_in_context": {"sets": {"y": {"vectors": ["of_b"]}}},
        "downstream": {
            "tasks": {
                "theirs": {"models": [], "classifiers": {"t": {}}},
                "kept": {"models": ["c"], "constrained": {"l": {"from": "c"}}},
            }
        },
        "propagation": {"tasks": ["kept"]},
        "seed": 3,
    }
    assert json.dumps(values) == before


def test_checkpoints_go_one_by_one():
    run = {"hub": "org/run", "kind": "causal", "checkpoints": ["step1", "step2"]}
    values = {"models": {"run": run, "b": {"path": "b"}}, "perplexity": {"models": ["run", "b"], "texts": ["t"]}}
    left = left_out.without(values, ["run-step2"])
    assert left["models"]["run"]["checkpoints"] == ["step1"]
    assert left["perplexity"]["models"] == ["run", "b"]
    left = left_out.without(values, ["run-step1", "run-step2"])
    assert left["models"].keys() == {"b"}
    assert left["perplexity"]["models"] == ["b"]


def test_what_cannot_do_without_says_why():
    values = {**FULL, "models": {"llama-3.1-8b": FULL["models"]["llama-3.1-8b"]}}
    with pytest.raises(HerbariumError, match=r"models\.llama-3\.1-8b is left out: gone\.\n"):
        left_out.load(values, [], {"llama-3.1-8b": "gone"})
