"""What a study asks for of pseudo-perplexity, and what is wrong with its section."""

import pytest
from tests.refusals import tells
from tests.study.configurations import faults

from herbarium.metrics.perplexity import targets as perplexity
from herbarium.study import config


def study(**section):
    by = {"recipe": "continued", "corpus": "unbiased"}
    models = {"base": {"planted": 2.0, "kind": "masked"}, "x": {"derived": {"from": "base", "by": by}}}
    corpora = {"unbiased": {"planted": "base"}}
    return {"models": models, "corpora": corpora, "perplexity": section}


@pytest.mark.parametrize(("models", "n_changes"), [(["base"], 0), (["base", "x"], 1)])
def test_a_model_alone_is_not_compared(models, n_changes):
    planned = perplexity.targets(config.load(study(models=models, texts=["unbiased"])))
    assert planned.scored == [(model, "perplexity/unbiased") for model in models]
    assert planned.changes == ["<work>/changes/perplexity/unbiased.parquet"] * n_changes


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
