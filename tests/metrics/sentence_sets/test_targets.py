"""What a study asks for of sentences of one's own: every file by name."""

import pytest

from herbarium.core.targets import Targets
from herbarium.metrics.sentence_sets import targets as sentence_sets
from herbarium.study import config

ENTRY = {
    "table": "resources/sentence_sets/pronouns/sentences.csv",
    "models": ["real", "weak"],
    "quantity": "slot",
    "sides": ["he", "she"],
}


@pytest.fixture
def study(model_folder):
    def load(**sets):
        models = {
            "real": {"path": str(model_folder("bert")), "kind": "masked"},
            "weak": {"planted": 1.0, "kind": "masked"},
            "idle": {"planted": 0.0, "kind": "masked"},
        }
        return config.load({"models": models, "sentence_sets": sets})

    return load


def test_a_study_without_sentences_asks_for_nothing(study):
    assert sentence_sets.targets(study()) == Targets()


def test_a_set_without_models_is_one_of_gender_in_context(model_folder):
    alone = {key: value for key, value in ENTRY.items() if key not in ("models", "quantity")}
    encoder = {"path": str(model_folder("bert")), "kind": "encoder"}
    in_context = config.load(
        {
            "models": {"encoder": encoder},
            "vectors": {"layers": {"model": "encoder", "layers": [-1]}},
            "sentence_sets": {"one": alone},
            "gender_in_context": {"sets": {"all": {"sentences": "one", "vectors": ["layers"]}}},
        }
    )
    assert sentence_sets.targets(in_context) == Targets(shards={"sentence_sets/one": 1})


def test_every_file_of_a_model_and_set(study):
    metric_targets = sentence_sets.targets(
        study(one=ENTRY, two=ENTRY | {"models": ["real"], "bootstrap": {"replicates": 0}})
    )
    assert metric_targets.shards == {"sentence_sets/one": 1, "sentence_sets/two": 1}
    assert metric_targets.scored == [
        ("real", "sentence_sets/one"),
        ("weak", "sentence_sets/one"),
        ("real", "sentence_sets/two"),
    ]
    places = ["real/one", "weak/one", "real/two"]
    assert metric_targets.numbers == [f"<work>/metrics/sentence_sets/{place}.parquet" for place in places]
    assert metric_targets.replicates == [f"<work>/replicates/sentence_sets/{place}.parquet" for place in places[:2]]
    assert metric_targets.planted == {"weak": ["<work>/testbed/text/sentence_sets/weak.parquet"]}
    assert metric_targets.calibration == ["<work>/calibration/sentence_sets.parquet"]
    assert metric_targets.figures == ["sentence_sets_forest"]
    assert metric_targets.tables == [
        f"<results>/tables/sentence_sets_{name}.csv" for name in ("numbers", "sentences", "faults")
    ]
    assert metric_targets.parts == ["<work>/parts/sentence_sets.json"]
    assert (metric_targets.fits, metric_targets.published, metric_targets.grouped) == ([], [], {})


def test_nothing_is_calibrated_where_nothing_is_planted(study):
    metric_targets = sentence_sets.targets(study(one=ENTRY | {"models": ["real"]}))
    assert (metric_targets.planted, metric_targets.calibration) == ({}, [])


def test_a_comparison_does_not_depend_on_where_its_table_is_nor_on_other_models(study):
    few, many = (
        sentence_sets.entries(study(one=ENTRY | {"models": models})) for models in (["real"], ["real", "weak"])
    )
    assert few == many
    keys = {"quantity", "contrast", "sides", "unit", "crossed_with", "each", "correction", "bootstrap"}
    assert set(few["one"]) == keys
