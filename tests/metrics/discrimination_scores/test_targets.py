"""What a study asks for of discrimination scores, and what of its configuration is refused."""

import pytest
from tests.refusals import tells
from tests.study.configurations import faults

from herbarium.metrics.discrimination_scores import metric as discrimination_scores
from herbarium.study import config

DEMO = {
    "table": "resources/discrimination_scores/demo.jsonl",
    "text": "filled_template",
    "decision": "decision_question_id",
    "references": {"gender": "male", "race": "white"},
    "numeric": ["age"],
}


@pytest.fixture
def study(model_folder):
    def values(engine="lme4", **tables):
        models = {
            "real": {"path": str(model_folder("gpt2")), "kind": "causal"},
            "weak": {"planted": 1.0, "kind": "causal"},
            "mask": {"path": str(model_folder("bert")), "kind": "masked"},
        }
        return {"models": models, "discrimination_scores": {"tables": tables}, "mixed_models": {"engine": engine}}

    return values


def test_the_published_model_is_fitted_only_where_there_is_an_engine(study):
    tables = {"demo": DEMO | {"models": ["weak", "real"]}}
    ours, fitted = (discrimination_scores.targets(config.load(study(engine, **tables))) for engine in ("none", "lme4"))
    assert (len(ours.numbers), len(fitted.numbers)) == (2, 4)
    assert fitted.numbers[:2] == ours.numbers


def test_without_a_reference_nothing_is_planted(study):
    ages = {"demo": DEMO | {"references": {}, "models": ["weak"]}}
    asked = discrimination_scores.targets(config.load(study(**ages)))
    assert (asked.planted, asked.calibration) == ({}, [])


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"models": ["reel"]}, (None, "'reel'", "'real'")),
        ({"models": ["mask"]}, (None, "'mask'", "masked")),
        ({"table": "nowhere.csv"}, (None, "nowhere.csv")),
        ({"references": {"gender": "man"}}, (None, "'man'")),
        ({"references": {"age": "20"}}, (None, "'age'")),
        ({"references": {}, "numeric": []}, (None, "'references'")),
        ({"frame": "[text]"}, (None, "[answer]")),
        ({"frame": "[text] [answer]."}, (None, "[answer]")),
        ({"favourable": [""]}, (None, "''")),
        ({"favourable": [" yes"]}, (None, "' yes'")),
        ({"favourable": ["no"]}, (None, "'no'")),
        ({"unfavourable": ["no", "not"]}, (None, "'no'", "'not'")),
        ({"unfavourable": []}, (None, "unfavourable")),
        ({"unfavourable": [False]}, (None, "quotes")),
    ],
)
def test_what_is_wrong_is_told_with_its_key(study, entry, told):
    messages = faults(study(asked=DEMO | {"models": ["real"]} | entry))
    assert tells(messages, *told)
    assert "discrimination_scores.tables.asked" in messages
