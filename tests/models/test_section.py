"""Derived models in the configuration: what they inherit, the models of their epochs, and what is refused."""

from pathlib import Path

import pytest
from tests.refusals import tells
from tests.study.configurations import faults

from herbarium.study import config

BERT = {"path": "bert", "kind": "masked", "dtype": "auto", "lowercase": True}


def by(**settings):
    return {"recipe": "toxic", **settings}


def models(values, **derived):
    """The configuration with these models alone: name -> the one it comes from, and settings of its recipe."""
    derived_models = {
        name: {"derived": {"from": base, "by": by(**settings)}} for name, (base, settings) in derived.items()
    }
    return {
        "models": {"bert": BERT, "bart": {"path": "bart", "kind": "seq2seq"}, **derived_models},
        "seed": values["seed"],
    }


def test_a_derived_model_is_what_its_base_is_and_each_epoch_is_a_model(values):
    study = config.load(models(values, x=("bert", {"epochs": 3, "sentences": 7})))
    assert list(study.models) == ["bert", "bart", "x-01", "x-02", "x"]
    for epochs, name in enumerate(("x-01", "x-02", "x"), 1):
        model = study.models[name]
        assert (model.kind, model.dtype, model.lowercase) == ("masked", "auto", True)
        assert (model.hub, model.path, model.planted) == (None, None, None)
        # as if it had been asked for by itself
        assert model.model_dump(mode="json")["derived"] == {
            "from": "bert",
            "by": {"recipe": "toxic", "epochs": epochs, "sentences": 7, "learning_rate": 5e-5, "batch_size": 32},
            "seed": 1,
            "seeds": 1,
        }


def test_a_derived_model_may_come_from_a_derived_one(values):
    loaded = config.load(models(values, y=("x", {"epochs": 1}), x=("bert", {"epochs": 2})))
    assert list(loaded.models) == ["bert", "bart", "y", "x-01", "x"]
    assert loaded.models["y"].kind == "masked"
    assert loaded.models["y"].derived.base == "x"


@pytest.mark.parametrize(
    ("derived", "told"),
    [
        ({"x": ("bret", {})}, ("x.derived.from", "'bret'", "'bert'")),
        ({"x": ("x", {})}, (None, "'x'")),
        ({"x": ("y", {}), "y": ("x", {})}, (None, "'x'", "'y'")),
        ({"x": ("bart", {})}, ("x", "'bart'", "'toxic'")),
        ({"y": ("x", {}), "x": ("bart", {})}, (None, "'x'", "'toxic'")),
        ({"x": ("bert", {}), "y": ("bert", {})}, (None, "'x'", "'y'", "'bert'", "'toxic'")),
        ({"x": ("bert", {}), "x-01": ("x", {})}, (None, "'x-01'", "'x'")),
        (
            {"x": ("bert", {"recipe": "toxik"})},
            ("models.x.derived.by.recipe", "'toxic'", "'continued'"),
        ),
        ({"x": ("bert", {"epoch": 2})}, (None, "'models.x.derived.by.epoch'", "'epochs'")),
        ({"x": ("bert", {"epochs": 0})}, (None, "models.x.derived.by.epochs")),
    ],
)
def test_faults_of_derived_models_are_named(values, derived, told):
    assert tells(faults(models(values, **derived)), *told)


def test_faults_have_their_line(values, tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text("seed: 1\n\nmodels:\n  x:\n    derived: {from: y, by: {recipe: toxic}}\n")
    messages = faults({"models": {"x": {"derived": {"from": "y", "by": by()}}}}, [path])
    assert tells(messages, "study.yaml, line 3", path, "x.derived.from", "'y'")


def test_a_derived_model_has_no_key_of_its_own(values):
    study = models(values, x=("bert", {}))
    study["models"]["x"]["kind"] = "masked"
    assert tells(faults(study), "models.x", "'kind'", "'derived.from'")
    study["models"]["x"] = {"derived": {"form": "bert", "by": by()}}
    assert tells(faults(study), None, "'models.x.derived.form'", "'from'")


def test_a_model_has_one_source(values):
    study = models(values)
    study["models"]["x"] = {"derived": {"from": "bert", "by": by()}, "planted": 1.0}
    assert tells(faults(study), None, "'hub'", "'path'", "'planted'", "'derived'")


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"path": "x", "adapter": {}}, ("models.x.adapter", "'hub'", "'path'")),
        ({"path": "x", "adapter": {"hub": "a/b", "path": "y"}}, (None, "'hub'", "'path'")),
        (
            {"path": "x", "adapter": {"path": "y", "revision": "a" * 40}},
            ("models.x.adapter", "'revision'", "'hub'"),
        ),
        ({"path": "x", "adapter": {"hub": "a/b", "revision": "main"}}, (None, "40")),
        ({"planted": 1.0, "adapter": {"path": "y"}}, ("models.x", "'adapter'", "'hub'", "'path'")),
        ({"path": "x", "adapter": {"pth": "y"}}, (None, "'models.x.adapter.pth'", "'path'")),
    ],
)
def test_faults_of_adapters_are_named(values, entry, told):
    study = models(values)
    study["models"]["x"] = {"kind": "masked", **entry}
    assert tells(faults(study), *told)


def test_a_derived_model_has_the_adapter_of_its_base(values):
    study = models(values, x=("bert", {}))
    study["models"]["bert"] = BERT | {"adapter": {"hub": "a/b"}}
    assert config.load(study).models["x"].adapter is None  # its weights are the merged ones, changed
    study["models"]["x"]["adapter"] = {"path": "y"}
    assert tells(faults(study), "models.x", "'adapter'", "'derived.from'")


def test_an_extractive_model_is_changed_by_no_recipe_and_never_planted(values):
    study = models(values)
    study["models"]["answers"] = {"path": "answers", "kind": "extractive"}
    assert config.load(study, []).models["answers"].kind == "extractive"
    toxic, neutralised = by(), {"recipe": "neutralised", "terms": "gender"}
    for recipe, kinds in ((toxic, "a masked"), (neutralised, "a causal or masked or seq2seq")):
        study["models"]["x"] = {"derived": {"from": "answers", "by": recipe}}
        messages = faults(study)
        assert tells(messages, None, "'answers'", "extractive", f"'{recipe['recipe']}'", kinds)
    study["models"]["x"] = {"planted": 1.0, "kind": "extractive"}
    assert tells(faults(study), None, "'kind: masked'")


def test_a_planted_model_has_its_bias_in_the_text_of_some_metrics(values):
    study = models(values)
    study["models"]["x"] = {"planted": 1.5, "kind": "masked", "planted_in": ["herb"]}
    loaded = config.load(study, [])
    assert (loaded.strengths_in("herb")["x"], loaded.strengths_in("mixed_effects")["x"]) == (1.5, 0.0)
    assert loaded.strengths_in("herb")["bert"] is None
    del study["models"]["x"]["planted_in"]
    assert config.load(study, []).strengths_in("mixed_effects")["x"] == 1.5
    study["models"]["x"]["planted_in"] = ["hreb"]
    assert tells(faults(study), "models.x.planted_in", "'hreb'", "'herb'")


@pytest.mark.parametrize("key", [{"planted_in": ["herb"]}, {"training_seed": 3}])
def test_what_belongs_to_planted_models_is_refused_of_others(values, key):
    study = models(values)
    study["models"]["x"] = {"path": "x", "kind": "masked"} | key
    assert tells(faults(study), None, f"'{next(iter(key))}'", "'planted'")


def test_every_metric_with_a_text_can_be_planted_by_itself(values):
    metrics = {path.parent.name for path in Path("workflow/scripts/herbarium/metrics").glob("*/planted.py")}
    assert set(config.load(values).planting) == metrics
