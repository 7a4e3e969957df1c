"""The section of the configuration: every fault of it is named with its key."""

import pytest
from tests.refusals import tells
from tests.study.configurations import faults

from herbarium.metrics.categorical_bias.section import CategoricalBias
from herbarium.study import config


@pytest.mark.slow
def test_models_of_categorical_bias_are_masked_and_known(values):
    languages = values["categorical_bias"]["languages"]
    languages["greek"]["models"] = ["ethnic-nome"]
    assert tells(faults(values), "categorical_bias.languages.greek.models", "'ethnic-nome'", "'ethnic-none'")
    values["models"]["bart"] = {"path": "x", "kind": "seq2seq"}
    languages["greek"]["models"] = ["bart"]
    assert tells(faults(values), "categorical_bias.languages.greek.models", "'bart'")


def test_a_list_that_cannot_be_read_is_told_with_its_key(values):
    values["categorical_bias"]["languages"]["greek"]["lists"]["own"] = "none"
    text = faults(values)
    assert tells(text, None, "categorical_bias.languages.greek.lists.own")
    assert tells(text, None, "none/templates.csv")


@pytest.mark.parametrize("lists", [1, 3])
def test_a_family_is_all_lists_of_a_language_by_both_definitions(lists):
    folder = "resources/categorical_bias/greek/grammatical"
    language = {"lists": {f"l{n}": folder for n in range(lists)}, "models": ["m"]}
    (family,) = CategoricalBias(languages={"greek": language}).families()
    assert (family.n, family.arrangements, family.tails) == (2 * lists, 1000, 1)


def test_a_study_with_a_language_has_numbers_of_whole_models(values):
    section = config.load(values).categorical_bias
    assert section.measures_of_models() == ["<work>/metrics/model_measures/categorical_bias.parquet"]
    assert CategoricalBias().measures_of_models() == []
    assert section.leading == {"english": "grammatical", "greek": "grammatical"}
