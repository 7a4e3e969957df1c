"""What models come from, on a small family: a planted model, one trained further with two seeds, one that only changes
scores, and a model with checkpoints."""

import pytest

from herbarium.models import genealogy
from herbarium.models.completion import completed, given
from herbarium.models.kinds import Kind
from herbarium.models.section import Model

TRAINED = {"recipe": "toxic", "epochs": 2}
MODELS = {
    "tiny": {"planted": 1.0},
    "toxic": {"derived": {"from": "tiny", "by": TRAINED}},
    "neutral": {"derived": {"from": "toxic", "by": {"recipe": "neutralised", "terms": "gender"}}},
    "other": {"path": "other", "kind": "masked", "checkpoints": ["1", "2"], "checkpoints_are": "seeds"},
    "plain": {"path": "plain", "kind": "masked"},
    "projected": {
        "derived": {"from": "plain", "by": {"recipe": "projection", "method": "inlp", "corpus": "c"}},
    },
    "continued": {"derived": {"from": "plain", "by": {"recipe": "continued", "corpus": "c"}, "seeds": 2}},
}


@pytest.fixture(scope="module")
def models():
    read = {name: Model.model_validate(entry) for name, entry in MODELS.items()}
    read["tiny"] = read["tiny"].model_copy(update={"kind": Kind.masked})  # which a study infers
    return completed(read)


def test_the_line_of_a_model_ends_where_it_began(models):
    assert genealogy.line(models, "neutral") == ["neutral", "toxic", "tiny"]
    assert genealogy.line(models, "unknown") == ["unknown"]
    for name in models:
        assert genealogy.origin(models, name) == genealogy.line(models, name)[-1]
        assert genealogy.origin(models, genealogy.origin(models, name)) == genealogy.origin(models, name)


def test_what_is_made_from_what(models):
    assert genealogy.is_made_from(models, "tiny", "neutral")
    assert genealogy.is_made_from(models, "toxic", "neutral")
    assert not genealogy.is_made_from(models, "neutral", "tiny")
    assert not genealogy.is_made_from(models, "tiny", "tiny")


def test_what_was_trained_with_a_seed_of_its_own(models):
    trained = {name for name in models if genealogy.is_trained(models, name)}
    # a projection is not random; a neutralised model comes from one that was trained
    assert trained == {"toxic-01", "toxic", "neutral", "continued", "continued-seed2"}


def test_only_models_of_the_testbed_are_tiny(models):
    assert {name for name in models if genealogy.is_tiny(models, name)} == {"tiny", "toxic-01", "toxic", "neutral"}
    assert not genealogy.is_tiny(models, "unknown")


def test_a_model_without_weights_averages_the_scores_of_another(models):
    assert genealogy.neutralised(models) == {"neutral": "toxic"}


def test_trainings_by_one_recipe(models):
    assert genealogy.trainings(models)["continued"] == ["continued", "continued-seed2"]
    # an epoch of a training is no training of its own
    assert "toxic-01" not in genealogy.trainings(models)
    assert genealogy.repeated(models) == {
        "continued": ["continued", "continued-seed2"],
        "other": ["other-1", "other-2"],
    }
    assert genealogy.families(models, "steps") == {}
    assert genealogy.families(models, "seeds") == {"other": {"other-1": "1", "other-2": "2"}}


def test_models_as_plain_data_give_the_same_models(models):
    again = completed({name: Model.model_validate(entry) for name, entry in given(models).items()})
    assert list(again) == list(models)
    assert again == models
