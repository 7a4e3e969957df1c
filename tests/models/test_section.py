"""Derived models in the configuration: what they inherit, the models of their epochs, and what is refused."""

from pathlib import Path

import pytest
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
    ("derived", "message"),
    [
        ({"x": ("bret", {})}, "x.derived.from: 'bret' is not one of the models; did you mean 'bert'?"),
        ({"x": ("x", {})}, "'x' from 'x': a derived model cannot come from itself"),
        ({"x": ("y", {}), "y": ("x", {})}, "'x' from 'y' from 'x': a derived model cannot come from itself"),
        ({"x": ("bart", {})}, "x: 'bart' is seq2seq; recipe 'toxic' needs a masked model"),
        ({"y": ("x", {}), "x": ("bart", {})}, "'x' is seq2seq; recipe 'toxic' needs a masked model"),
        ({"x": ("bert", {}), "y": ("bert", {})}, "'x' and 'y' both come from 'bert' by recipe 'toxic'; only one can"),
        ({"x": ("bert", {}), "x-01": ("x", {})}, "'x-01' is the name of a model that comes with 'x'; use another name"),
        (
            {"x": ("bert", {"recipe": "toxik"})},
            "models.x.derived.by.recipe: Input should be one of 'toxic', 'continued'",
        ),
        ({"x": ("bert", {"epoch": 2})}, "unknown key 'models.x.derived.by.epoch'; did you mean 'epochs'?"),
        ({"x": ("bert", {"epochs": 0})}, "models.x.derived.by.epochs"),
    ],
)
def test_faults_of_derived_models_are_named(values, derived, message):
    assert message in faults(models(values, **derived))


def test_faults_have_their_line(values, tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text("seed: 1\n\nmodels:\n  x:\n    derived: {from: y, by: {recipe: toxic}}\n")
    messages = faults({"models": {"x": {"derived": {"from": "y", "by": by()}}}}, [path])
    assert f"{path}, line 3: models: x.derived.from: 'y' is not one of the models" in messages


def test_a_derived_model_has_no_key_of_its_own(values):
    study = models(values, x=("bert", {}))
    study["models"]["x"]["kind"] = "masked"
    assert "models.x: 'kind' is taken from the model in 'derived.from'; leave it out" in faults(study)
    study["models"]["x"] = {"derived": {"form": "bert", "by": by()}}
    assert "unknown key 'models.x.derived.form'; did you mean 'from'?" in faults(study)


def test_a_model_has_one_source(values):
    study = models(values)
    study["models"]["x"] = {"derived": {"from": "bert", "by": by()}, "planted": 1.0}
    assert "a model has exactly one of 'hub', 'path', 'planted' and 'derived'" in faults(study)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"path": "x", "adapter": {}}, "models.x.adapter: an adapter has exactly one of 'hub' and 'path'"),
        ({"path": "x", "adapter": {"hub": "a/b", "path": "y"}}, "an adapter has exactly one of 'hub' and 'path'"),
        (
            {"path": "x", "adapter": {"path": "y", "revision": "a" * 40}},
            "models.x.adapter: 'revision' belongs to 'hub'",
        ),
        ({"path": "x", "adapter": {"hub": "a/b", "revision": "main"}}, "this should be a commit, 40 hex digits"),
        ({"planted": 1.0, "adapter": {"path": "y"}}, "models.x: 'adapter' belongs to 'hub' or 'path'"),
        ({"path": "x", "adapter": {"pth": "y"}}, "unknown key 'models.x.adapter.pth'; did you mean 'path'?"),
    ],
)
def test_faults_of_adapters_are_named(values, entry, message):
    study = models(values)
    study["models"]["x"] = {"kind": "masked", **entry}
    assert message in faults(study)


def test_a_derived_model_has_the_adapter_of_its_base(values):
    study = models(values, x=("bert", {}))
    study["models"]["bert"] = BERT | {"adapter": {"hub": "a/b"}}
    assert config.load(study).models["x"].adapter is None  # its weights are the merged ones, changed
    study["models"]["x"]["adapter"] = {"path": "y"}
    assert "models.x: 'adapter' is taken from the model in 'derived.from'; leave it out" in faults(study)


def test_an_extractive_model_is_changed_by_no_recipe_and_never_planted(values):
    study = models(values)
    study["models"]["answers"] = {"path": "answers", "kind": "extractive"}
    assert config.load(study, []).models["answers"].kind == "extractive"
    toxic, neutralised = by(), {"recipe": "neutralised", "terms": "gender"}
    for recipe, kinds in ((toxic, "a masked"), (neutralised, "a causal or masked or seq2seq")):
        study["models"]["x"] = {"derived": {"from": "answers", "by": recipe}}
        messages = faults(study)
        assert f"x: 'answers' is extractive; recipe '{recipe['recipe']}' needs {kinds} model" in messages
    study["models"]["x"] = {"planted": 1.0, "kind": "extractive"}
    assert "a planted model is 'kind: masked'" in faults(study)


def test_a_planted_model_has_its_bias_in_the_text_of_some_metrics(values):
    study = models(values)
    study["models"]["x"] = {"planted": 1.5, "kind": "masked", "planted_in": ["herb"]}
    loaded = config.load(study, [])
    assert (loaded.strengths_in("herb")["x"], loaded.strengths_in("mixed_effects")["x"]) == (1.5, 0.0)
    assert loaded.strengths_in("herb")["bert"] is None
    del study["models"]["x"]["planted_in"]
    assert config.load(study, []).strengths_in("mixed_effects")["x"] == 1.5
    study["models"]["x"]["planted_in"] = ["hreb"]
    assert "models.x.planted_in: no text for 'hreb' is planted; did you mean 'herb'?" in faults(study)


@pytest.mark.parametrize("key", [{"planted_in": ["herb"]}, {"training_seed": 3}])
def test_what_belongs_to_planted_models_is_refused_of_others(values, key):
    study = models(values)
    study["models"]["x"] = {"path": "x", "kind": "masked"} | key
    assert f"'{next(iter(key))}' belongs to 'planted'" in faults(study)


def test_every_metric_with_a_text_can_be_planted_by_itself(values):
    metrics = {path.parent.name for path in Path("workflow/scripts/herbarium/metrics").glob("*/planted.py")}
    assert set(config.load(values).planting) == metrics
