"""Checkpoints of a repository or folder: a model each, pinned each, and all of them in lists of models."""

import shutil

import pytest
from tests.hub import commit_of, serve
from tests.refusals import refused, tells
from tests.study.configurations import faults

from herbarium.models import loading
from herbarium.models.genealogy import families
from herbarium.study import config

STEPS = ["step1000", "step2000"]


def study(values, **models):
    herb = values["herb"] | {"models": [name for name in models if name != "other"]}
    return {"models": models, "seed": values["seed"], "herb": herb}


def test_each_is_a_model_and_a_list_that_has_the_family_has_all(values):
    entry = {"hub": "org/name", "kind": "masked", "checkpoints": STEPS, "lowercase": True}
    loaded = config.load(study(values, run=entry, other={"planted": 0.0}))
    assert list(loaded.models) == ["run-step1000", "run-step2000", "other"]
    assert loaded.herb.models == ["run-step1000", "run-step2000"]
    models = [loaded.models[f"run-{step}"] for step in STEPS]
    assert {(model.hub, model.kind, model.lowercase) for model in models} == {("org/name", "masked", True)}
    assert families(loaded.models, "steps") == {"run": {f"run-{step}": step for step in STEPS}}
    assert families(loaded.models, "seeds") == {}


def test_what_is_written_of_a_study_makes_the_same_models(values, model_folder, tmp_path):
    for seed in ("seed1", "seed2"):
        shutil.copytree(model_folder("bert"), tmp_path / seed)
    models = {
        "run": {"hub": "org/name", "kind": "masked", "checkpoints": STEPS},
        "others": {"hub": "org/name-{checkpoint}-base", "kind": "masked", "checkpoints": ["0", "1"]},
        "mine": {"path": str(tmp_path), "checkpoints": ["seed1", "seed2"], "checkpoints_are": "seeds"},
    }
    loaded = config.load(study(values, **models))
    text = loaded.model_dump(mode="json")["models"]
    assert text.keys() == models.keys()
    again = config.load(study(values, **text))
    assert again.herb.models == list(loaded.models)
    assert again.models == loaded.models
    assert {name: model.hub for name, model in again.models.items() if model.hub} == {
        **{f"run-{step}": "org/name" for step in STEPS},
        **{f"others-{seed}": f"org/name-{seed}-base" for seed in "01"},
    }
    assert loaded.models["mine-seed2"].path == tmp_path / "seed2"
    assert loaded.models["mine-seed2"].kind == "masked"
    assert families(again.models, "seeds") == {"mine": {"mine-seed1": "seed1", "mine-seed2": "seed2"}}


def test_a_checkpoint_may_be_changed_by_a_recipe(values):
    entry = {"hub": "org/name", "kind": "masked", "checkpoints": STEPS}
    toxic = {"derived": {"from": "run-step2000", "by": {"recipe": "toxic", "epochs": 1}}}
    assert config.load(study(values, run=entry, other=toxic)).models["other"].kind == "masked"
    toxic["derived"]["from"] = "run"
    assert tells(faults(study(values, run=entry, other=toxic)), "other.derived.from", "'run'")


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"hub": "a/b", "checkpoints": []}, ("models.run.checkpoints", "1")),
        ({"hub": "a/b", "checkpoints": ["refs/pr/1"]}, ("models.run.checkpoints.0",)),
        ({"hub": "a/b", "checkpoints": ["x", "y", "x"]}, ("models.run", "'checkpoints'", "'x'")),
        ({"hub": "a/b", "checkpoints": ["x"], "revision": "a" * 40}, ("models.run", "'revision'")),
        ({"planted": 1.0, "checkpoints": ["x"]}, ("models.run", "'checkpoints'", "'hub'", "'path'")),
        ({"hub": "a/b", "checkpoints_are": "seeds"}, ("models.run", "'checkpoints'")),
        ({"hub": "a/b-{checkpoint}"}, ("models.run", "'checkpoints'")),
        ({"hub": "a/b-{seed}", "checkpoints": ["x"]}, (None, "`organisation/name`")),
        ({"hub": "a/b", "checkpoints": ["er"]}, ("run.checkpoints", "'run-er'")),
        ({"hub": "a/b", "checkpoints": ["x" * 62]}, (None, "64", "'run'")),
    ],
)
def test_faults_of_checkpoints_are_named(values, entry, told):
    other = {"run-er": {"planted": 0.0}}
    kind = {"kind": "masked"}
    assert tells(faults({"models": {"run": entry | kind, **other}, "seed": values["seed"]}), *told)


# --- pins ---


def entries(values, **models):
    loaded = config.load({"models": models, "seed": values["seed"]}).models
    return {f"models.{name}": model.model_dump(mode="json") for name, model in loaded.items()}


def test_each_branch_has_a_line_of_its_own_in_the_lock_file(values, tmp_path):
    lock = tmp_path / "lock.yaml"
    lock.write_text(f"org/name@step1000: {'a' * 40}\norg/each-0: {'b' * 40}\norg/name: {'c' * 40}\n")
    settings = entries(
        values,
        run={"hub": "org/name", "kind": "masked", "checkpoints": STEPS},
        each={"hub": "org/each-{checkpoint}", "kind": "masked", "checkpoints": ["0"]},
        other={"hub": "org/name", "kind": "masked"},
    )
    assert {name: loading.pinned(entry, lock) for name, entry in settings.items()} == {
        "models.run-step1000": "a" * 40,
        "models.run-step2000": None,
        "models.each-0": "b" * 40,
        "models.other": "c" * 40,
    }
    with refused("models.run-step2000", "'org/name@step2000'", "pinned"):
        loading.require_pinned(settings, lock)


def test_the_hub_is_asked_for_the_commit_of_each_branch(values, model_folder, connect):
    repositories = {f"models/org/name@{step}": model_folder("gpt2") for step in STEPS}
    with serve({"models/org/name": model_folder("bert"), **repositories}) as address:
        connect(address)
        # the kind is that of the first: before it is pinned, of its branch as it is now
        settings = entries(values, run={"hub": "org/name", "checkpoints": STEPS})
        assert {entry["kind"] for entry in settings.values()} == {"causal"}
        pins = loading.latest_revisions([loading.pin(entry) for entry in settings.values()])
        with refused(None, "org/name@step3000"):
            loading.latest_revisions(["org/name@step3000"])
    assert pins == {f"org/name@{step}": commit_of(step) for step in STEPS}
