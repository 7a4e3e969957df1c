"""What a study asks for of likelihood bias, and what of its configuration is refused."""

import shutil

import pytest
from tests.hub import commit
from tests.metrics.likelihood_bias.toy import DEMO
from tests.refusals import tells
from tests.study.configurations import faults

from herbarium.metrics.likelihood_bias import metric as likelihood_bias
from herbarium.study import config


@pytest.fixture
def study(model_folder):
    def values(**stimuli):
        models = {
            "real": {"path": str(model_folder("gpt2")), "kind": "causal"},
            "weak": {"planted": 1.0, "kind": "masked"},
            "text": {"path": str(model_folder("bart")), "kind": "seq2seq"},
        }
        return {"shards": 2, "models": models, "likelihood_bias": {"stimuli": stimuli}}

    return values


def test_a_set_is_of_its_models_and_the_planted_alone_have_a_text(study):
    asked = {"one": {"lists": DEMO, "models": ["weak", "real"]}, "two": {"lists": DEMO, "models": ["real"]}}
    planned = likelihood_bias.targets(config.load(study(**asked)))
    assert planned.shards == {"likelihood_bias/one": 2, "likelihood_bias/two": 2}
    places = [("weak", "one"), ("real", "one"), ("real", "two")]
    assert planned.scored == [(model, f"likelihood_bias/{name}") for model, name in places]
    assert planned.numbers == [f"<work>/metrics/likelihood_bias/{model}/{name}.parquet" for model, name in places]
    assert planned.planted == {"weak": ["<work>/testbed/text/likelihood_bias/weak.parquet"]}


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"models": ["reel"]}, ("'reel'", "'real'")),
        ({"models": ["text"]}, ("'text'",)),
        ({"lists": "nowhere"}, ("nowhere/descriptors.json",)),
        ({"axes": ["faiths"]}, ("'faiths'", "'faith'")),
        ({"git": "https://example.org/a.git"}, ("'git'", "'revision'", "40")),
    ],
)
def test_what_is_wrong_is_told_with_its_key(study, entry, told):
    messages = faults(study(asked={"lists": DEMO, "models": ["real"]} | entry))
    assert tells(messages, None, *told)
    assert tells(messages, None, "likelihood_bias.stimuli.asked")


def test_lists_of_others_are_those_of_a_commit(study, tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "repository"
    shutil.copytree(DEMO, folder / "dataset/v1.1")
    revision = commit(folder)
    shutil.rmtree(folder / "dataset/v1.1")
    (folder / "moved").write_text("")
    later = commit(folder)
    entry = {"git": folder.as_uri(), "revision": revision, "lists": "dataset/v1.1", "models": ["real"]}
    loaded = config.load(study(asked=entry)).likelihood_bias.stimuli["asked"]
    assert len(loaded.files) == 3
    assert tells(faults(study(asked=entry | {"revision": later})), None, "dataset/v1.1")
