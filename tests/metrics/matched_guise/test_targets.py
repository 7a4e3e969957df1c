"""What a study asks for of matched guise probing, and what of its configuration is refused."""

import pytest
from tests.refusals import tells
from tests.study.configurations import faults

from herbarium.metrics.matched_guise import metric as matched_guise
from herbarium.study import config

ENGLISH = "resources/matched_guise/english"
TRAITS = {
    "pairs": f"{ENGLISH}/pairs.txt",
    "attributes": f"{ENGLISH}/traits.txt",
    "prompts": f"{ENGLISH}/traits_prompts.txt",
}
RATED = TRAITS | {"ratings": f"{ENGLISH}/traits_ratings.csv"}


@pytest.fixture
def study(model_folder):
    def values(**guises):
        models = {
            "real": {"path": str(model_folder("bert")), "kind": "masked"},
            "weak": {"planted": 1.0, "kind": "masked"},
            "text": {"path": str(model_folder("bart")), "kind": "seq2seq"},
        }
        return {"models": models, "matched_guise": {"guises": guises}}

    return values


def test_guises_are_of_their_models_and_the_planted_alone_have_a_text(study):
    loaded = config.load(study(rated=RATED | {"models": ["weak", "real"]}, bare=TRAITS | {"models": ["real"]}))
    asked = matched_guise.targets(loaded)
    scored = [("weak", "rated"), ("real", "rated"), ("real", "bare")]
    assert asked.scored == [(model, f"matched_guise/{name}") for model, name in scored]
    assert asked.planted == {"weak": ["<work>/testbed/text/matched_guise/weak.parquet"]}
    assert asked.changes == []


def test_without_ratings_nothing_is_planted(study):
    asked = matched_guise.targets(config.load(study(bare=TRAITS | {"models": ["weak"]})))
    assert (asked.planted, asked.calibration) == ({}, [])


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"models": ["reel"]}, (None, "'reel'", "'real'")),
        ({"models": ["text"]}, (None, "'text'")),
        ({"pairs": "nowhere.txt"}, (None, "nowhere.txt")),
        ({"pairs": f"{ENGLISH}/traits.txt"}, (None, "tab")),
        ({"ratings": f"{ENGLISH}/occupations_ratings.csv"}, (None, "'surgeon'")),
        ({"prompts": f"{ENGLISH}/traits.txt"}, (None, "[text]")),
        ({"pairs_per_unit": 0}, (None, "1")),
    ],
)
def test_what_is_wrong_is_told_with_its_key(study, entry, told):
    messages = faults(study(asked=RATED | {"models": ["real"]} | entry))
    assert tells(messages, *told)
    assert tells(messages, None, "matched_guise.guises.asked") or "matched_guise.guises.asked." in messages
