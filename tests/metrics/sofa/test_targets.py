"""What a study asks for of social bias probing, and what of its configuration is refused."""

import pytest
from tests.metrics.sofa.toy import DEMO
from tests.refusals import tells
from tests.study.configurations import faults

from herbarium.metrics.sofa import metric as sofa
from herbarium.study import config


@pytest.fixture
def study(model_folder):
    def values(**tables):
        models = {
            "real": {"path": str(model_folder("gpt2")), "kind": "causal"},
            "weak": {"planted": 1.0, "kind": "masked"},
            "text": {"path": str(model_folder("bart")), "kind": "seq2seq"},
        }
        return {"shards": 2, "models": models, "sofa": {"tables": tables}}

    return values


def test_a_table_is_of_its_models_and_the_planted_alone_have_a_text(study):
    asked = {"one": {"probes": DEMO, "models": ["weak", "real"]}, "two": {"probes": DEMO, "models": ["real"]}}
    planned = sofa.targets(config.load(study(**asked)))
    assert planned.shards == {"sofa/one": 2, "sofa/two": 2}
    places = [("weak", "one"), ("real", "one"), ("real", "two")]
    assert planned.scored == [(model, f"sofa/{name}") for model, name in places]
    assert planned.items == [f"<work>/items/sofa/{model}/{name}.parquet" for model, name in places]
    assert planned.planted == {"weak": ["<work>/testbed/text/sofa/weak.parquet"]}


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"models": ["reel"]}, ("'reel'", "'real'")),
        ({"models": ["text"]}, ("'text'",)),
        ({"probes": "nowhere.csv"}, ("nowhere.csv",)),
        ({"probes": "pyproject.toml"}, ("pyproject.toml", ".parquet")),
        ({"probes": "resources/matched_guise/english/traits_ratings.csv"}, ("'category'",)),
    ],
)
def test_what_is_wrong_is_told_with_its_key(study, entry, told):
    messages = faults(study(asked={"probes": DEMO, "models": ["real"]} | entry))
    assert tells(messages, None, *told)
    assert tells(messages, None, "sofa.tables.asked")
