"""The section of the configuration: every fault of it is named with its key."""

from tests.study.configurations import faults


def test_models_of_categorical_bias_are_masked_and_known(values):
    languages = values["categorical_bias"]["languages"]
    languages["greek"]["models"] = ["ethnic-nome"]
    assert (
        "categorical_bias.languages.greek.models: 'ethnic-nome' is not one of the models; did you mean 'ethnic-none'?"
        in faults(values)
    )
    values["models"]["bart"] = {"path": "x", "kind": "seq2seq"}
    languages["greek"]["models"] = ["bart"]
    assert "languages.greek.models: 'bart' is seq2seq; log P' needs a masked model" in faults(values)


def test_a_list_that_cannot_be_read_is_told_with_its_key(values):
    values["categorical_bias"]["languages"]["greek"]["lists"]["own"] = "none"
    text = faults(values)
    assert "categorical_bias.languages.greek.lists.own" in text
    assert "none/templates.csv" in text
