"""What a study asks for of mixed effects: every file by name."""

import pytest
from tests.refusals import tells
from tests.study.configurations import faults

from herbarium.core.targets import Targets
from herbarium.metrics.mixed_effects import targets as mixed_effects
from herbarium.study import config

LISTS = "resources/mixed_effects/{}"
STIMULI = {
    "traits": {"lists": LISTS.format("traits"), "models": ["real", "weak"]},
    "nouns": {"lists": LISTS.format("nouns"), "models": ["weak"]},
}
LEARNED = {"weak": ["<work>/testbed/text/mixed_effects/weak.parquet"]}


@pytest.fixture
def study(model_folder):
    """A study of two sets of stimuli; one of the models has a planted bias."""

    def load(stimuli=STIMULI, sensitivity=(), **changes):
        models = {
            "real": {"path": str(model_folder("llama")), "kind": "causal"},
            "weak": {"planted": 1.0, "kind": "masked"},
            "idle": {"planted": 0.0, "kind": "masked"},
        }
        section = {"stimuli": stimuli, "sensitivity": list(sensitivity)}
        return config.load({"models": models, "mixed_effects": section, "shards": 3, **changes}, [])

    return load


def test_stimuli_are_of_their_models(study):
    planned = mixed_effects.targets(study())
    assert planned.shards == {"mixed_effects/traits": 3, "mixed_effects/nouns": 3}
    scored = [("real", "traits"), ("weak", "traits"), ("weak", "nouns")]
    assert planned.scored == [(model, f"mixed_effects/{name}") for model, name in scored]
    assert planned.numbers == []  # those of all fits, whichever metric they are of


@pytest.mark.parametrize(("sensitivity", "kinds"), [([], ["main"]), (["slopes"], ["main", "further"])])
def test_further_fits_are_files_of_their_own(study, sensitivity, kinds):
    fits = [f"<work>/fits/mixed_effects/{model}/{kind}.parquet" for kind in kinds for model in ("real", "weak")]
    assert mixed_effects.targets(study(sensitivity=sensitivity)).fits == fits


def test_only_measured_models_of_the_study_learn_its_text(study):
    assert mixed_effects.targets(study()).planted == LEARNED
    of_real = mixed_effects.targets(study(stimuli={"traits": STIMULI["traits"] | {"models": ["real"]}}))
    assert (of_real.planted, of_real.calibration) == ({}, [])


def test_without_an_engine_models_learn_the_same_text_and_nothing_is_measured(study):
    assert mixed_effects.targets(study(mixed_models={"engine": "none"})) == Targets(planted=LEARNED)


def test_a_model_has_the_lists_of_its_stimuli(study):
    section = study().mixed_effects
    assert section.models == ["real", "weak"]
    assert section.lists_of("real") == {"traits": LISTS.format("traits")}
    assert section.lists_of("weak") == {name: LISTS.format(name) for name in ("traits", "nouns")}


def test_tables_that_stand_beside_published_ones_are_all_that_are_published():
    from herbarium.metrics.mixed_effects.published import TABLES

    assert {number for numbers in TABLES.values() for number in numbers} == {
        *("2", "3", "4", "5", "6", "7", "13", "14", "16", "3.2.4", "A.4", "A.5.1")
    }
    assert set(TABLES) <= set(mixed_effects.TABLES)


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ({"stimuli": {"mine": {"lists": LISTS.format("demo"), "models": ["tinny"]}}}, ("'tinny'", "'tiny'")),
        ({"stimuli": {"mine": {"lists": "list", "models": ["tiny"]}}}, ("list/templates.csv",)),
        ({"sensitivity": ["word"]}, ("'word'", "'words'")),
        ({"probes": {}}, ("'mixed_effects.probes'", "'mixed_effects.stimuli'")),
        ({"engine": "none"}, ("'mixed_effects.engine'", "'mixed_models.engine'")),
    ],
)
def test_a_faulty_section_is_told(section, told):
    assert tells(
        faults({"models": {"tiny": {"planted": 1.0, "kind": "masked"}}, "mixed_effects": section}), None, *told
    )
