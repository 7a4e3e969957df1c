"""The study of `make first`: of one model, by its kind."""

import shutil
from pathlib import Path

import pytest
import yaml
from tests.refusals import refused

from herbarium.study import config, first


@pytest.mark.parametrize(
    ("folder", "kind", "metrics"),
    [
        ("bert", "masked", {"herb", "categorical_bias", "sentence_sets"}),
        ("gpt2", "causal", {"herb", "mixed_effects", "sentence_sets"}),
        ("bart", "seq2seq", {"herb"}),
    ],
)
def test_a_model_is_measured_with_what_its_kind_allows(model_folder, folder, kind, metrics):
    made = first.entry(str(model_folder(folder)))
    assert made == {"path": str(Path(model_folder(folder)).resolve()), "kind": kind}
    text = first.study(made, "results/x")
    assert text.keys() & {"herb", "categorical_bias", "mixed_effects", "sentence_sets"} == metrics
    study = config.load(text)
    planted = {name: model for name, model in study.models.items() if model.planted is not None}
    assert planted.keys() == (set() if kind == "seq2seq" else {"planted-none", "planted-strong"})
    assert all((model.tokenizer, model.kind) == (first.NAME, kind) for model in planted.values())
    assert study.herb.made_up_names


def test_its_file_is_a_study(model_folder, monkeypatch, tmp_path):
    monkeypatch.setattr(first, "FOLDER", tmp_path)
    path = first.main([str(model_folder("bert")), "masked"])
    study = config.load(yaml.safe_load(Path(path).read_text()), [path])
    assert study.results == str(tmp_path / Path(path).stem)


def test_what_is_no_model_is_refused(tmp_path, model_folder):
    with refused("gpt2", "'openai-community/gpt2'"):
        first.entry("gpt2")
    with refused("not here at all"):
        first.entry("not here at all")
    with refused("KIND=mask", "masked, causal, seq2seq"):
        first.entry(str(model_folder("bert")), "mask")
    with refused("KIND=extractive", "masked, causal, seq2seq"):
        first.entry(str(model_folder("bert-extractive")), "extractive")
    bare = shutil.copytree(model_folder("bert"), tmp_path / "bare")
    (bare / "config.json").write_text('{"model_type": "bert", "architectures": ["BertModel"]}')
    with refused(bare, "encoder", "KIND=masked"):
        first.entry(str(bare))
    with refused("models.mine", "config.json"):
        first.entry(str(tmp_path))
