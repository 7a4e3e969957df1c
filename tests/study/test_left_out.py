"""Models and data that the hub does not give: found before a study is planned, and left out of all of it."""

import json
from functools import partial
from pathlib import Path

import pytest
import yaml
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tests.hub import COMMIT, commit_of, serve
from tests.refusals import refused
from tests.study.conftest import whole

from herbarium.core import store
from herbarium.models import loading
from herbarium.models.completion import expanded
from herbarium.models.section import Model
from herbarium.study import left_out, targets, wanted
from herbarium.study.without import key_of, models_in, with_what_is_made, without

OFFLINE_PORT = "http://127.0.0.1:9"  # nothing listens there


def models(**entries):
    return expanded({name: Model.model_validate({"kind": "masked", **entry}) for name, entry in entries.items()})


def ask(wanted_models, tmp_path, before=()):
    parts = (
        wanted.of_models(wanted_models)
        if isinstance(next(iter(wanted_models.values())), Model)
        else wanted.elsewhere(wanted_models)
    )
    return left_out.ask(parts, tmp_path / "lock.yaml", tmp_path / "results", dict(before))


def load(values, missing):
    return left_out.load(values, [], left_out.Answers({}, missing))


def keys(*names):
    return {f"models.{name}" for name in names}


def hub(name, **more):
    return {"hub": f"org/{name}", "revision": COMMIT, **more}


@pytest.fixture
def repositories(model_folder):
    names = ("name", "gated", "run@step1")
    return {f"models/org/{name}": model_folder("bert") for name in names}


def test_the_hub_is_asked_for_commits_and_whether_it_gives_the_files(repositories, connect, tmp_path):
    entries = models(
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
        pins, refused = ask(entries, tmp_path)
    assert pins == {"org/name": COMMIT, "org/gated": COMMIT, "org/run@step1": commit_of("step1")}
    assert refused.keys() == keys(
        *("gated", "gone", "rewritten", "unpinned_gone", "unpinned_gated", "run-step2", "adapted")
    )
    for name, words in {"gated": "HF_TOKEN", "gone": "no such", "rewritten": "commit", "adapted": "org/gated"}.items():
        assert words in refused[f"models.{name}"]
    assert f"'org/gated' at {COMMIT[:12]}:" in refused["models.unpinned_gated"]


def test_without_an_answer_nothing_is_pinned_and_what_the_hub_said_last_holds(repositories, connect, tmp_path):
    entries = models(gated=hub("gated"), there=hub("name"), unpinned={"hub": "org/gone"})
    with serve(repositories, gated=["models/org/gated"]) as address:
        connect(address)
        _, refused = ask(entries, tmp_path)
    assert refused.keys() == keys("gated", "unpinned")
    for address in (None, OFFLINE_PORT):
        connect(address)
        pins, silent = ask(entries, tmp_path, refused)
        assert (pins, silent) == ({}, {**refused, "models.there": silent["models.there"]})
        assert ("asks again" in silent["models.there"]) == (address is not None)
        moved = entries | models(gated={"hub": "org/gated", "revision": "d" * 40})
        again = ask(moved, tmp_path, refused).left_out
        assert again["models.unpinned"] == refused["models.unpinned"]
        assert again["models.gated"] != refused["models.gated"]
        told = left_out.sentences({}, ask(entries, tmp_path).left_out)
        assert len(told) == (2 if address is None else 1)  # one for each cause
        assert all("\n".join(told).count(key) == 1 for key in keys(*entries))


def test_what_is_in_the_cache_or_was_measured_stays(repositories, connect, tmp_path):
    with serve(repositories) as address:
        connect(address)
        loading.fetch("org/gated", COMMIT)
    (tmp_path / "results/work/models").mkdir(parents=True)
    (tmp_path / "results/work/models/measured.json").write_text(json.dumps({"revision": COMMIT}))
    entries = models(cached=hub("gated"), measured=hub("gone"), again=hub("gone"))
    with serve(repositories, gated=["models/org/gated"]) as address:
        connect(address)
        assert ask(entries, tmp_path).left_out.keys() == keys("again")


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
        dry = left_out.begin(values, is_dry=True, is_job=False)
        assert not (tmp_path / "lock.yaml").exists()
        decided = left_out.begin(values, is_dry=False, is_job=False)
        assert dry == decided
        with refused("models.gated", "'org/gated'"):
            left_out.begin({**values, "strict": True}, is_dry=False, is_job=False)
        with refused("models.gated", "'org/gated'"):
            left_out.begin({**values, "models": {"gated": hub("gated")}}, is_dry=False, is_job=False)
        loading.fetch("org/name", COMMIT)
    assert loading.read_lock(tmp_path / "lock.yaml") == decided.pins == {"org/name": COMMIT}
    assert decided.left_out.keys() == keys("gated", "toxic")
    left_out.write(tmp_path / "results", decided.left_out)
    assert left_out.begin(values, is_dry=False, is_job=True) == ({}, decided.left_out)
    connect(None)
    assert left_out.begin(values, is_dry=False, is_job=False) == ({}, decided.left_out)
    left_out.write(tmp_path / "results", {})
    assert left_out.begin(values, is_dry=False, is_job=True) == ({}, {})


@pytest.mark.parametrize(
    ("models", "place"),
    [
        (3, "models"),
        ({"a": 3}, "models.a"),
        ({"a": {"hub": 3}}, "models.a.hub"),
        ({"a": {"checkpoints": 3}}, "models.a.checkpoints"),
        (None, "models"),
        ({"a": None}, "models.a"),
    ],
)
def test_faults_of_the_configuration_are_left_to_its_reader(models, place, tmp_path):
    values = {"results": str(tmp_path), "models": models}
    assert left_out.begin(values, is_dry=True, is_job=False) == ({}, {})
    with refused(place):
        load(values, {"models.a": "gone"})


@pytest.mark.parametrize("text", ["", "[1]", '{"a": 3}', '{"a": "\\u001b[2J"}'])
def test_a_damaged_decision_is_refused_with_its_place(text, tmp_path):
    left_out.write(tmp_path, {"a": "gone"})
    (path,) = (file for file in tmp_path.rglob("*") if file.is_file())
    path.write_text(text)
    with refused(path.name):
        left_out.read(tmp_path)


# --- a study without some models ---


def mentions(value, name):
    if isinstance(value, dict):
        return name in value or any(mentions(inner, name) for inner in value.values())
    return any(mentions(inner, name) for inner in value) if isinstance(value, list) else value == name


FULL = yaml.safe_load(Path("config/core.yaml").read_text())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bert-base-cased", "bert-base-greek-uncased-v1", "xlm-roberta-base", "llama-3.1-8b"])
def test_the_full_study_can_do_without_any_of_its_models(name):
    study = load(FULL, {f"models.{name}": "gone"})
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
    assert without(values, ["models.a"]) == {
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
    left = without(values, ["models.run-step2"])
    assert left["models"]["run"]["checkpoints"] == ["step1"]
    assert left["perplexity"]["models"] == ["run", "b"]
    left = without(values, ["models.run-step1", "models.run-step2"])
    assert left["models"].keys() == {"b"}
    assert left["perplexity"]["models"] == ["b"]


@pytest.mark.slow
def test_what_cannot_do_without_says_why():
    values = {**FULL, "models": {"llama-3.1-8b": FULL["models"]["llama-3.1-8b"]}}
    with refused("models.llama-3.1-8b", "gone"):
        load(values, {"models.llama-3.1-8b": "gone"})


# --- classifiers and data ---


def elsewhere(git="https://localhost/gone"):
    """A study of which the hub refuses the data of a task, a classifier, a corpus, a file of vectors, and parallel
    texts."""
    task = {"prefix": "[region]", "controls": ["here"]}
    gone = hub("gone")
    return {
        "models": {
            "a": {"path": "a"},
            "more": {"derived": {"from": "a", "by": {"recipe": "continued", "corpus": "swapped"}}},
        },
        "corpora": {"lost": {**gone}, "swapped": {"swapped": {"from": "lost", "terms": "gender"}}, "kept": hub("data")},
        "parallel": {"bible": {"texts": {"en": {"path": "en.csv"}, "fr": {**gone}}}},
        "vectors": {
            "file": {**gone, "path": "x.vec"},
            "flat": {"debiased": {"from": "file"}},
            "glove": {"trained": {"corpus": "lost"}},
            "of_a": {"model": "a"},
        },
        "word_associations": {"sources": ["file", "glove", "of_a"]},
        "perplexity": {"models": ["a"], "texts": ["lost"]},
        "sentence_sets": {"theirs": {"git": git, "revision": COMMIT, "table": "t", "models": ["a"]}},
        "gender_in_context": {
            "corpora": ["lost", "kept"],
            "sets": {
                "counted": {"corpus": "lost", "vectors": ["of_a"]},
                "theirs": {"sentences": "theirs", "vectors": ["of_a"]},
                "kept": {"corpus": "kept", "vectors": ["of_a"]},
            },
        },
        "downstream": {
            "tasks": {
                "lost": {**task, "data": {**gone}, "models": ["a"]},
                "one": {
                    **task,
                    "data": hub("data"),
                    "models": ["a"],
                    "classifiers": {"c": {**gone}},
                    "constrained": {"k": {"from": "c"}, "l": {"from": "a"}},
                },
                "other": {**task, "data": {"path": "t.csv"}, "classifiers": {"c": hub("name"), "d": {**gone}}},
                "only": {**task, "data": {"path": "t.csv"}, "classifiers": {"c": {**gone}}},
            },
        },
        "propagation": {"tasks": ["lost", "one", "only"]},
    }


LOST = (
    *("corpora.lost", "parallel.bible", "vectors.file", "sentence_sets.theirs", "downstream.tasks.lost"),
    *("downstream.tasks.one.classifiers.c", "downstream.tasks.other.classifiers.d"),
    "downstream.tasks.only.classifiers.c",
)


def test_the_hub_and_repositories_are_asked_for_classifiers_and_data(repositories, connect, tmp_path):
    values = elsewhere((tmp_path / "no_repository").as_uri())
    with serve({**repositories, "datasets/org/data": next(iter(repositories.values()))}) as address:
        connect(address)
        pins, refused = ask(values, tmp_path)
    assert (pins, set(refused)) == ({}, set(LOST))
    assert "no such repository" in refused["downstream.tasks.lost"]
    assert refused["sentence_sets.theirs"].count("no_repository") >= 1
    connect(None)
    assert ask(values, tmp_path).left_out.keys() == refused.keys() | {
        *("corpora.kept", "downstream.tasks.one", "downstream.tasks.other.classifiers.c")
    }
    assert refused.items() <= ask(values, tmp_path, refused).left_out.items()


def test_what_does_not_answer_is_left_out_until_it_does_and_the_rest_goes_on(connect, tmp_path):
    connect(OFFLINE_PORT)
    data = {"git": f"{OFFLINE_PORT}/texts", "revision": COMMIT, "table": "t.csv"}
    file = f"{OFFLINE_PORT}/t.csv#sha256={'a' * 64}"
    values = {
        "corpora": {"texts": data},
        "parallel": {"both": {"texts": {"english": data}}},
        "vectors": {"v": {"path": file}},
    }
    pins, silent = ask(values, tmp_path)
    assert (pins, set(silent)) == ({}, {"corpora.texts", "parallel.both", "vectors.v"})
    assert all("asks again" in why for why in silent.values())


def test_data_that_a_study_was_recorded_with_are_not_asked_for(repositories, connect, tmp_path):
    values = {"corpora": {"texts": hub("gone"), "new": hub("gone")}}
    store.write_record(tmp_path / "results/run.json", {"study": {"corpora": {"texts": hub("gone")}}})
    with serve(repositories) as address:
        connect(address)
        assert ask(values, tmp_path).left_out.keys() == {"corpora.new"}


def test_a_task_goes_with_its_data_and_a_classifier_alone():
    values = elsewhere()
    before = json.dumps(values)
    left = without(values, LOST)
    assert json.dumps(values) == before
    assert left["models"].keys() == {"a"}
    assert left["corpora"].keys() == {"kept"}
    assert left["parallel"] == {}
    assert left["vectors"].keys() == {"of_a"}
    assert left["word_associations"] == {"sources": ["of_a"]}
    assert left.keys().isdisjoint({"perplexity", "sentence_sets"})
    kept = {"kept": {"corpus": "kept", "vectors": ["of_a"]}}
    assert left["gender_in_context"] == {"corpora": ["kept"], "sets": kept}
    tasks = left["downstream"]["tasks"]
    assert tasks.keys() == {"one", "other"}
    assert "classifiers" not in tasks["one"]
    assert tasks["one"]["constrained"] == {"l": {"from": "a"}}
    assert tasks["other"]["classifiers"].keys() == {"c"}
    assert left["propagation"] == {"tasks": ["one"]}


@pytest.mark.parametrize("task", ["imdb", "hatespeech18"])
@pytest.mark.slow
def test_the_full_study_can_do_without_the_data_of_a_task(task):
    study = load(FULL, {f"downstream.tasks.{task}": "gone"})
    assert study.downstream.tasks.keys() == {"imdb", "hatespeech18"} - {task}


FULL_STUDY = whole("everything")
WANTED = sorted(
    {part.entry for part in wanted.elsewhere(FULL_STUDY)} | {("models", name) for name in FULL_STUDY["models"]}
)
# Sections that measure nothing without some of it.
DEPENDENT = {
    "local_group_bias": {"continents": ["continent:AF"], "clusters": 2},
    "propagation": {"bootstrap": {"replicates": 9}},
    "counterfactual": {"models": ["bert-base-uncased", "roberta-large"]},
}


@pytest.mark.slow
@given(st.sets(st.sampled_from(WANTED), max_size=8) | st.sets(st.sampled_from(WANTED), min_size=len(WANTED) - 8))
@example(set(WANTED) - {("models", "xlm-roberta-base")})
@example({place for place in WANTED if place[0] == "downstream"})
@example({place for place in WANTED if place[0] != "models"})
@settings(max_examples=8, deadline=None)
def test_whatever_is_missing_the_rest_is_planned(everything, gone):
    """And what is left out with it is told: nothing of it is asked for. The study is the default one, on stand-ins."""
    values = everything[1] | DEPENDENT
    known = models_in(values)
    assume(not {("models", name) for name in known} <= with_what_is_made(values, known, gone))
    missing = dict.fromkeys(map(key_of, gone), "gone")
    study, told = targets.without_idle(partial(left_out.load, values, []), left_out.Answers({}, missing))
    asked = targets.of(study)
    assert targets.idle(study).keys() <= told.keys()
    assert not {("models", model) for model, _ in asked.scored} & gone


def test_what_is_left_out_with_data_is_told_and_strict_stops(repositories, connect, tmp_path):
    values = {**elsewhere(), "results": str(tmp_path / "results"), "lock": str(tmp_path / "lock.yaml")}
    values["sentence_sets"] = {}
    with serve(repositories) as address:
        connect(address)
        lost = left_out.begin(values, is_dry=False, is_job=False).left_out
        with refused("corpora.lost", "'org/gone'"):
            left_out.begin({**values, "strict": True}, is_dry=False, is_job=False)
    made = {"corpora.swapped", "models.more", "vectors.flat", "vectors.glove"}
    assert made <= lost.keys()
    assert {lost[key] for key in made} == {"made from what is left out"}
    assert {"downstream.tasks.lost", "downstream.tasks.one.classifiers.c"} <= left_out.by_name(lost).keys()


def test_what_has_the_same_reason_is_told_once():
    told = left_out.sentences({}, {"models.a": "gone", "corpora.b": "another", "models.c": "gone"})
    assert told == ["models.a, models.c are left out: gone.", "corpora.b is left out: another."]


def test_what_takes_the_place_of_a_language_s_own_model_is_told_with_it():
    gone = {"models.bert-base-uncased": "gone", "models.xlm-roberta-base": "gone"}
    (_, other) = left_out.sentences(FULL, gone)
    for text in (other, left_out.told(FULL, gone)["models.bert-base-uncased"]):
        assert "'bert-base-multilingual-uncased' takes its place" in text
        assert "categorical_bias.languages.english" in text
