"""What a study asks for of Categorical Bias: every file by name."""

import pytest

from herbarium.metrics.categorical_bias import targets as categorical_bias
from herbarium.study import config

LISTS = "resources/categorical_bias/{}/{}"


@pytest.fixture
def study(model_folder):
    """A study of two languages: one has two lists and two models, one of which has a planted bias."""

    def load(**changes):
        english = {"lists": {"ours": LISTS.format("english", "grammatical"), "b": LISTS.format("english", "published")}}
        greek = {"lists": {"ours": LISTS.format("greek", "grammatical")}}
        languages = {"english": english | {"models": ["real", "weak"]}, "greek": greek | {"models": ["weak"]}}
        models = {
            "real": {"path": str(model_folder("bert")), "kind": "masked"},
            "weak": {"planted": 1.0, "kind": "masked"},
            "idle": {"planted": 0.0, "kind": "masked"},
        }
        section = {"categorical_bias": {"languages": languages} | changes.pop("categorical_bias", {})}
        return config.load({"models": models, **section, **changes}, [])

    return load


def test_only_measured_models_of_the_study_learn_its_text(study):
    metric_targets = categorical_bias.targets(study())
    assert metric_targets.planted == {"weak": ["<work>/testbed/text/categorical_bias/weak.parquet"]}
    assert metric_targets.calibration == ["<work>/calibration/categorical_bias.parquet"]
    english = {"lists": {"ours": LISTS.format("english", "grammatical")}, "models": ["real"]}
    metric_targets = categorical_bias.targets(study(categorical_bias={"languages": {"english": english}}))
    assert metric_targets.planted == {}
    assert metric_targets.calibration == []


def test_designs_of_all_languages_and_those_that_lead(study):
    languages = study().categorical_bias.model_dump(mode="json")["languages"]
    place = "<work>/designs/categorical_bias/{}.json".format
    leading = [place("english/ours"), place("greek/ours")]
    assert categorical_bias.leading_designs(languages) == leading
    assert categorical_bias.designs(languages) == [leading[0], place("english/b"), leading[1]]
    assert categorical_bias.learned("weak", languages) == leading
    assert categorical_bias.learned("real", languages) == leading[:1]
    assert categorical_bias.languages_of("weak", languages) == ["english", "greek"]


def test_a_family_that_could_not_reject_is_told_before_the_run(study):
    asked = {"tests": {"permutations": 19}}
    assert study(categorical_bias=asked).undecidable == [
        f"categorical_bias.tests.permutations: the covariances across forms of a model in {language}: with {n} in a "
        f"family no p-value can fall below {least}, so no test can reject."
        for language, n, least in (("english", 4, 0.2), ("greek", 2, 0.1))
    ]
    assert study().undecidable == []
    assert study(categorical_bias={"tests": {"permutations": 20, "correction": "fdr_bh"}}).undecidable == []
