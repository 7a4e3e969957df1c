"""The section of the configuration: every fault of it is named with its key."""

import pytest
from tests.refusals import tells
from tests.study.configurations import GOOD, faults

from herbarium.metrics.herb import score, stimuli
from herbarium.metrics.herb.section import Released
from herbarium.study import config


def test_herb_models_are_models_that_can_be_scored(values):
    values["herb"]["models"] = ["planted-nome"]
    assert tells(faults(values), None, "'planted-nome'", "'planted-none'")
    values["herb"]["models"] = ["gpt"]
    values["models"]["gpt"] = {"path": "x", "kind": "extractive"}
    assert tells(faults(values), None, "'gpt'")


def test_no_model_is_measured_twice_unless_asked_for(values):
    values["herb"]["models"] = None
    study = config.load(values)
    assert study.herb.measured(study.models) == [
        name for name, entry in values["models"].items() if "derived" not in entry
    ]
    values["herb"]["models"] = ["planted-none", "toxic-none", "toxic-none-01"]
    study = config.load(values)
    assert study.herb.measured(study.models) == values["herb"]["models"]


def test_the_key_of_toxic_training_says_what_it_is_now(values):
    values["herb"]["toxic"] = {"models": ["planted-none"]}
    assert tells(faults(values), None, "'herb.toxic'", "'models.{name}.derived'")


def test_the_switches_of_the_released_code_are_its_departures():
    switches = set(Released.model_fields)
    assert switches == {*stimuli.DEPARTURES, *score.DEPARTURES}
    study = config.load({**GOOD, "herb": {**GOOD["herb"], "released": {"pad_mean": False}}})
    assert study.herb.departures == [name for name in Released.model_fields if name != "pad_mean"]


def test_substitutes_stand_for_descriptions(values, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("one\none\n")
    values["herb"]["substitutes"] = {"strenght": str(words)}
    assert tells(faults(values), "herb", "'strenght'", "'strength'")
    values["herb"]["substitutes"] = {"strength": str(words)}
    assert tells(faults(values), "herb", "2", "23")


@pytest.mark.slow
def test_the_map_shows_a_description(values, tmp_path):
    assert config.load(values).herb.shown_description == "bald"
    values["herb"]["map_description"] = "balt"
    assert tells(faults(values), "herb", "'balt'", "'bald'")
    words = tmp_path / "words.txt"
    words.write_text("odd\neven\n")
    values["herb"] |= {"map_description": None, "descriptions": {"numbers": str(words)}}
    assert config.load(values).herb.shown_description == "odd"


def test_templates_and_names_are_read_before_the_first_job(values, tmp_path):
    template, names = tmp_path / "template.txt", tmp_path / "names.csv"
    template.write_text("[region] is [description] and [plural].\n")
    names.write_text("region,name\na,\n")
    values["herb"]["templates"] = {"mine": str(template)}
    values["regions"]["names"] = {"mine": str(names), "letters": "ascii"}
    text = faults(values)
    assert tells(text, None, "herb.templates.mine")
    assert tells(text, None, "[description]", "[plural]", "[singular]", "[released]")
    assert tells(text, None, "1")


def test_tests_that_could_not_reject_are_told_before_the_run(values):
    values["herb"] |= {"bootstrap": {"replicates": 38}, "tests": {"permutations": 38}}
    told = [message for message in config.load(values).undecidable if message.startswith("herb.")]
    least = "no p-value can fall below 0.051, so no test can reject."
    assert told == [
        f"herb.tests.permutations: the tests of the hierarchy of a model: with 2 in a family {least}",
        f"herb.bootstrap.replicates: differences of the scores as published: {least}",
    ]
    values["herb"] |= {"bootstrap": {"replicates": 0}, "tests": {"permutations": 999}}
    assert not [message for message in config.load(values).undecidable if message.startswith("herb.")]
