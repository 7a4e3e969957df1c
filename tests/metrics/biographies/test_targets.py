"""What a study asks for of biographies, and what of its configuration is refused."""

import pytest
from tests.refusals import refused, tells
from tests.study.configurations import faults

from herbarium.metrics.biographies import targets as biographies_targets
from herbarium.study import config

PLANTED = {"data": {"planted": 1.0}, "vectors": ["topics"]}
HUB = {"hub": "LabHC/bias_in_bios", "revision": "052f01de644dba841176e0449528b41f27d94a61"}


def study(model_folder, **biographies):
    return {
        "models": {
            "real": {"path": str(model_folder("bert")), "kind": "masked"},
            "topics": {"path": str(model_folder("bert")), "kind": "masked"},
            "asked": {"path": str(model_folder("bert-extractive")), "kind": "extractive"},
        },
        "vectors": {
            "topics": {"planted": 1.0},
            "last": {"model": "real", "layers": [-1]},
            "input": {"model": "real"},
            "hard": {"debiased": {"from": "topics"}},
        },
        "biographies": biographies,
    }


def asked(model_folder, **biographies):
    return biographies_targets.targets(config.load(study(model_folder, **biographies)))


def test_biographies_of_the_hub_are_fetched_and_not_calibrated(model_folder):
    bios = {"data": HUB, "train": ["train"], "test": ["test"], "vectors": ["last", "input"]}
    metric_targets = asked(model_folder, tasks={"bios": bios})
    (source,) = metric_targets.sources
    assert (source.key, source.rule) == ("biographies.tasks.bios.data", "read_biographies")
    assert metric_targets.calibration == []


def test_a_model_is_fine_tuned_on_each_training_set_in_each_form(model_folder):
    loaded = config.load(study(model_folder, tasks={"few": PLANTED | {"models": ["real"]}}, sets=2))
    assert biographies_targets.targets(loaded).numbers == [
        f"<work>/metrics/biographies/{name}/few.parquet" for name in ("topics", "real")
    ]
    folder = f"{loaded.work}/biographies/few/real/as_is"
    assert biographies_targets.predictions(loaded, "real", "few", "as_is") == [
        f"{folder}/set-{number}.parquet" for number in (1, 2)
    ]
    assert biographies_targets.predictions(loaded, "topics", "few", "as_is") == []
    alone = config.load(study(model_folder, tasks={"few": {"data": {"planted": 1.0}, "models": ["real"]}}))
    assert biographies_targets.targets(alone).numbers == ["<work>/metrics/biographies/real/few.parquet"]


def test_sources_of_words_are_told_apart(model_folder, tmp_path):
    (tmp_path / "few.vec").write_text("1 2\nwords 1 0\n")
    values = study(model_folder, tasks={"few": PLANTED})
    values["vectors"] |= {"file": {"path": str(tmp_path / "few.vec")}, "hard-file": {"debiased": {"from": "file"}}}
    loaded = config.load(values)
    of_words = [source for source in values["vectors"] if biographies_targets.is_of_words(loaded, source)]
    assert of_words == ["file", "hard-file"]


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"vectors": ["topic"]}, (None, "'topic'", "'topics'")),
        ({"data": {"planted": 2}}, (None, "1.6")),
        ({"data": {"hub": "LabHC/bias_in_bios"}}, (None, "'hub'", "'revision'")),
        ({"data": HUB, "train": ["train"]}, (None, "'train'", "'test'")),
        ({"data": HUB, "train": ["train"], "test": ["train"]}, (None, "'train'", "'test'")),
        ({"data": HUB, "female": ["1"], "male": [1]}, (None, "'1'", "'female'", "'male'")),
        ({"data": HUB, "column": "split"}, (None, "'column'", "'train'", "'test'")),
        ({"data": {"path": "bios.csv"}, "train": ["a"], "test": ["b"]}, (None, "splits")),
        ({"occupation": "title"}, (None, "'occupation'")),
        ({"gendered": "none.csv"}, ("none.csv",)),
        ({"vectors": []}, (None, "'vectors'", "'models'")),
        ({"models": ["reel"]}, (None, "'reel'", "'real'")),
        ({"models": ["asked"]}, ("biographies.tasks.few.models", "'asked'")),
        ({"models": ["topics"]}, (None, "'topics'")),
        ({"data": {"path": "bios.csv"}, "language": "tongue", "models": ["real"]}, (None, "one language")),
    ],
)
def test_a_faulty_task_is_told(model_folder, entry, told):
    assert tells(faults(study(model_folder, tasks={"few": PLANTED | entry})), *told)


def test_more_training_sets_than_texts_are_told(model_folder):
    message = faults(study(model_folder, sets=5, min_texts=4))
    assert tells(message, "min_texts", "4", "5")


def test_a_column_that_is_not_there_is_told_before_the_first_job(model_folder, tmp_path):
    (tmp_path / "bios.csv").write_text("text,job,gender\nShe cooks.,cook,1\n")
    entry = {"data": {"path": str(tmp_path / "bios.csv")}, "text": "text", "vectors": ["last"]}
    section = config.load(study(model_folder, tasks={"mine": entry | {"occupation": "jop"}})).biographies
    with refused("bios.csv", "'jop'", "'job'"):
        biographies_targets.require_files(section)
    biographies_targets.require_files(
        config.load(study(model_folder, tasks={"mine": entry | {"occupation": "job"}})).biographies
    )
