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


def test_a_set_is_of_its_models_and_resamples_and_planted_texts_are_where_they_are_asked_for(study):
    planned = sentence_sets.targets(study(one=ENTRY, two=ENTRY | {"models": ["real"], "bootstrap": {"replicates": 0}}))
    places = [("real", "one"), ("weak", "one"), ("real", "two")]
    assert planned.scored == [(model, f"sentence_sets/{name}") for model, name in places]
    assert planned.numbers == [f"<work>/metrics/sentence_sets/{model}/{name}.parquet" for model, name in places]
    assert planned.replicates == [f"<work>/replicates/sentence_sets/{model}/one.parquet" for model in ("real", "weak")]
    assert planned.planted == {"weak": ["<work>/testbed/text/sentence_sets/weak.parquet"]}
    of_real = sentence_sets.targets(study(one=ENTRY | {"models": ["real"]}))
    assert (of_real.planted, of_real.calibration) == ({}, [])


def test_a_comparison_does_not_depend_on_where_its_table_is_nor_on_other_models(study):
    few, many = (
        sentence_sets.entries(study(one=ENTRY | {"models": models})) for models in (["real"], ["real", "weak"])
    )
    assert few == many
    keys = {"quantity", "contrast", "sides", "unit", "crossed_with", "each", "correction", "bootstrap"}
    assert set(few["one"]) == keys
