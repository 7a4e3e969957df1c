"""What a study asks for of named entities, and what is wrong with its section."""

import pytest
from tests.refusals import refused, tells
from tests.study.configurations import faults

from herbarium.metrics.tagging import targets as tagging
from herbarium.study import config

HUB = {"hub": "a/b", "revision": "e" * 40}


def study(**task):
    by = {"recipe": "continued", "corpus": "unbiased"}
    models = {
        "base": {"planted": 2.0, "kind": "masked"},
        "x": {"derived": {"from": "base", "by": by}},
        "both": {"hub": "a/bart", "revision": "e" * 40, "kind": "seq2seq"},
    }
    tagging = {"tasks": {"names": {"models": ["base", "x"], **task}}, "training": {"sets": 2}}
    return {"models": models, "corpora": {"unbiased": {"planted": "base"}}, "tagging": tagging}


def test_a_model_has_predictions_of_each_set_and_its_state():
    loaded = config.load(study(data={"planted": True}))
    assert tagging.targets(loaded).changes == ["<work>/changes/tagging/names.parquet"]
    assert tagging.targets(loaded).sources == []
    assert tagging.targets(config.load(study(data={"planted": True}, models=["base"]))).changes == []
    (source,) = tagging.targets(config.load(study(data=HUB))).sources
    assert source[:1] + source[2:] == ("tagging.tasks.names.data", True, "read_tagging", {"task": "names"})
    assert source.entry["hub"] == "a/b"
    text = tagging.predictions(loaded, "names", "x")
    assert text == [f"results/work/tagging/names/x/set-{number}.parquet" for number in (1, 2)]
    # x was trained on, but not aligned: Table 6 has none like it
    assert tagging.states(loaded) == {"base": "not aligned", "both": "not aligned"}


def test_the_files_of_a_task_are_looked_at_before_a_run(tmp_path):
    (tmp_path / "train.conll").write_text("Ann B-PER\n")
    names = {"train": ["train.conll"], "test": ["test.conll"]}
    section = config.load(study(data={"path": str(tmp_path)}, **names)).tagging
    assert tagging.files(section, "names") == [str(tmp_path / name) for name in ("train.conll", "test.conll")]
    with refused("test.conll"):
        tagging.require_files(section)
    (tmp_path / "test.conll").write_text("Lee B-PER\n")
    tagging.require_files(section)


@pytest.mark.parametrize(
    ("task", "told"),
    [
        ({"data": {}}, (None, "'hub'", "'path'", "'planted'")),
        ({"data": {"hub": "a/b"}}, (None, "'hub'", "'revision'", "40")),
        ({"data": {"path": "a.conll", "planted": True}}, (None, "'hub'", "'path'", "'planted'")),
        ({"data": {"path": "a.conll", "sentences": 80}}, (None, "'sentences'", "'planted'")),
        ({"data": {"path": "a.conll"}, "names": ["O"]}, (None, "'names'", "CoNLL")),
        ({"data": {"planted": True}, "test_share": 0.5}, (None, "'test_share'")),
        ({"data": HUB, "train": ["train"]}, (None, "'train'", "'test'")),
        ({"data": HUB, "train": ["a", "b"], "test": ["b"]}, (None, "'b'", "'train'", "'test'")),
        ({"data": HUB, "models": ["bass"]}, (None, "'bass'", "'base'")),
        ({"data": HUB, "models": ["both"]}, (None, "'both'")),
    ],
)
def test_a_faulty_section_is_told(task, told):
    assert tells(faults(study(**task)), *told)
