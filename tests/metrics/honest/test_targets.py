"""What a study asks for of HONEST, and what of its configuration is refused."""

import pytest
from tests.metrics.honest import toy
from tests.refusals import tells
from tests.study.configurations import faults

from herbarium.metrics.honest import metric as honest
from herbarium.study import config

DEMO = {name: f"resources/honest/demo/{name}.tsv" for name in ("templates", "lexicon")}


@pytest.fixture
def study(model_folder):
    def values(**section):
        models = {
            "real": {"path": str(model_folder("bert")), "kind": "masked"},
            "weak": {"planted": 1.0, "kind": "masked"},
            "text": {"path": str(model_folder("gpt2")), "kind": "causal"},
            "swapped": {"derived": {"from": "real", "by": {"recipe": "neutralised", "terms": "gender"}}},
        }
        return {"models": models, "honest": section}

    return values


def test_a_set_is_of_its_models_and_the_planted_alone_have_a_text(study):
    sets = {"one": DEMO | {"models": ["weak", "real"]}, "two": DEMO | {"models": ["real"]}}
    asked = honest.targets(config.load(study(sets=sets)))
    assert asked.numbers == [f"<work>/metrics/honest/{name}.parquet" for name in ("weak/one", "real/one", "real/two")]
    assert asked.planted == {"weak": ["<work>/testbed/text/honest/weak.parquet"]}
    assert asked.changes == []


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"models": ["reel"]}, (None, "'reel'", "'real'")),
        ({"models": ["text"]}, ("honest.sets.few.models", "'text'", "causal", "masked")),
        ({"models": ["swapped"]}, ("honest.sets.few.models", "'swapped'")),
        ({"templates": "nowhere.tsv"}, ("honest.sets.few", "nowhere.tsv")),
        ({"groups": {"a": ["nort"], "b": ["south"]}}, ("honest.sets.few", "'nort'", "'north'")),
        ({"categories": ["minds"]}, ("honest.sets.few", "'minds'", "'mind'")),
        ({"lexicon_level": "strict"}, ("honest.sets.few.lexicon_level", "'inclusive'")),
    ],
)
def test_what_is_wrong_is_told_with_its_key(study, changes, told):
    assert tells(faults(study(sets={"few": DEMO | {"models": ["real"]} | changes})), *told)


def test_templates_without_a_mask_and_a_repeated_number_are_told(study, tmp_path):
    path = tmp_path / "templates.tsv"
    path.write_text(toy.templates().replace("[M]", "fool", 1), encoding="utf-8")
    entry = DEMO | {"templates": str(path), "models": ["real"]}
    assert tells(faults(study(sets={"few": entry})), "honest.sets.few", "[M]")
    assert tells(faults(study(top=[5, 5], sets={"few": DEMO | {"models": ["real"]}})), "honest.top")
