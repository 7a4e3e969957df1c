"""What a study asks for of pseudo-perplexity, and what is wrong with its section."""

import pytest
from tests.refusals import tells
from tests.study.configurations import faults

from herbarium.core.targets import Targets
from herbarium.metrics.perplexity import targets as perplexity
from herbarium.study import config


def study(**section):
    by = {"recipe": "continued", "corpus": "unbiased"}
    models = {"base": {"planted": 2.0, "kind": "masked"}, "x": {"derived": {"from": "base", "by": by}}}
    corpora = {"unbiased": {"planted": "base"}}
    return {"models": models, "corpora": corpora, "perplexity": section}


def test_a_study_without_it_asks_for_nothing():
    assert perplexity.targets(config.load(study())) == Targets()


def test_every_file_of_two_models():
    metric_targets = perplexity.targets(config.load(study(models=["base", "x"], texts=["unbiased"])))
    assert metric_targets.shards == {"perplexity/unbiased": 1}
    assert metric_targets.scored == [("base", "perplexity/unbiased"), ("x", "perplexity/unbiased")]
    assert metric_targets.numbers == [f"<work>/metrics/perplexity/{model}/unbiased.parquet" for model in ("base", "x")]
    assert metric_targets.changes == ["<work>/changes/perplexity/unbiased.parquet"]
    assert metric_targets.parts == ["<work>/parts/perplexity.json"]


def test_a_model_alone_is_not_compared():
    assert perplexity.targets(config.load(study(models=["base"], texts=["unbiased"]))).changes == []


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ({"models": ["base"]}, (None, "'models'", "'texts'")),
        ({"models": ["base"], "texts": ["unbiast"]}, ("perplexity.texts", "'unbiast'")),
        ({"models": ["bass"], "texts": ["unbiased"]}, (None, "'bass'", "'base'")),
    ],
)
def test_a_faulty_section_is_told(section, told):
    assert tells(faults(study(**section)), *told)
