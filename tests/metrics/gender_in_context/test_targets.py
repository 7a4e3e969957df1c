"""What a study asks for of gender in context, and what of its configuration is refused."""

import pytest
from tests.refusals import refused, tells
from tests.study.configurations import faults

from herbarium.core.targets import Targets
from herbarium.metrics.gender_in_context import targets as gender_in_context_targets
from herbarium.study import config

SENTENCES = {
    "format": "winobias_gender",
    "table": "resources/sentence_sets/winobias",
    "models": ["weak"],
    "quantity": "slot_likelihood",
    "sides": ["feminine", "masculine"],
}

PRONOUN_FIRST = {
    "table": "resources/gender_in_context/pronoun_first.csv",
    "models": ["next"],
    "quantity": "ll",
    "sides": ["feminine", "masculine"],
}


def study(model_folder, **gender_in_context):
    return {
        "models": {
            "weak": {"planted": 1.0, "kind": "masked"},
            "real": {"path": str(model_folder("bert")), "kind": "masked"},
            "next": {"path": str(model_folder("gpt2")), "kind": "causal"},
        },
        "vectors": {
            "weak-layers": {"model": "weak", "layers": "all"},
            "real-layers": {"model": "real", "layers": [-1]},
            "next-layers": {"model": "next", "layers": "all"},
            "static": {"model": "weak"},
        },
        "corpora": {"text": {"planted": "weak"}},
        "sentence_sets": {"occupations": SENTENCES, "first": PRONOUN_FIRST},
        "gender_in_context": gender_in_context,
    }


def asked(model_folder, **gender_in_context):
    return gender_in_context_targets.targets(config.load(study(model_folder, **gender_in_context)))


def test_only_models_with_a_planted_bias_are_calibrated(model_folder):
    for source, calibration in (("weak", ["<work>/calibration/gender_in_context.parquet"]), ("real", [])):
        sets = {"few": {"sentences": "occupations", "vectors": [f"{source}-layers"]}}
        assert asked(model_folder, sets=sets).calibration == calibration


def test_changes_are_asked_for_where_a_model_is_a_change_of_another(model_folder):
    of_set = {"few": {"sentences": "occupations", "vectors": ["weak-layers", "changed-layers"]}}
    changed = study(model_folder, sets=of_set)
    changed["models"]["changed"] = {"derived": {"from": "weak", "by": {"recipe": "continued", "corpus": "text"}}}
    changed["vectors"]["changed-layers"] = {"model": "changed", "layers": "all"}
    assert gender_in_context_targets.targets(config.load(changed)).changes == [
        "<work>/changes/gender_in_context/few.parquet"
    ]


def test_a_set_of_a_corpus_has_the_sides_of_its_swap_and_no_planted_strength(model_folder):
    loaded = config.load(study(model_folder, sets={"few": {"corpus": "text", "vectors": ["weak-layers"]}}))
    assert gender_in_context_targets.sides_of(loaded, "few") == ["feminine", "masculine"]
    assert gender_in_context_targets.sentences_of(loaded, "few") == "<work>/corpora/text.parquet"
    assert gender_in_context_targets.targets(loaded).calibration == []


def test_corpora_alone_are_counted(model_folder):
    metric_targets = asked(model_folder, corpora=["text"])
    assert metric_targets == Targets(tables=["<results>/tables/gender_in_context_counts.csv"])


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"vectors": ["weak"]}, (None, "'weak'")),
        ({"vectors": ["static"]}, (None, "'static'", "`model`")),
        ({"neutral": "none.csv"}, ("none.csv",)),
        ({"corpus": "text"}, (None, "'sentences'", "'corpus'")),
        ({"sentences": None, "corpus": "texts"}, ("gender_in_context.sets.few.corpus", "'texts'")),
        ({"sentences": None, "corpus": "text", "word": "job"}, (None, "'word'", "'sentences'")),
        ({"sentences": "occupation"}, (None, "'occupation'", "'occupations'")),
    ],
)
def test_a_faulty_set_is_told(model_folder, entry, told):
    sets = {"few": {"sentences": "occupations", "vectors": ["weak-layers"]} | entry}
    assert tells(faults(study(model_folder, sets=sets)), *told)


def test_a_corpus_that_is_none_of_the_study_s_is_told(model_folder):
    assert tells(faults(study(model_folder, corpora=["texts"])), "gender_in_context.corpora", "'texts'")


def test_sentences_that_are_no_pairs_are_told(model_folder, tmp_path):
    (tmp_path / "three.csv").write_text("id,set,side,text\na,1,he,He\nb,1,she,She\nc,1,they,They\n")
    values = study(model_folder, sets={"few": {"sentences": "three", "vectors": ["weak-layers"]}})
    values["sentence_sets"]["three"] = {
        **{"table": str(tmp_path / "three.csv"), "models": ["weak"], "quantity": "pll"},
        **{"sides": ["he", "she", "they"], "contrast": "candidates"},
    }
    with refused("gender_in_context.sets.few.sentences", "'three'", "3 sides"):
        gender_in_context_targets.targets(config.load(values))


def test_a_nu_twice_is_told(model_folder):
    assert tells(faults(study(model_folder, nu=[0.5, 0.5])), "nu")


def test_a_causal_model_that_does_not_see_what_differs_is_refused_before_the_first_job(model_folder):
    sets = {"few": {"sentences": "occupations", "vectors": ["weak-layers", "next-layers"]}}
    with refused("gender_in_context.sets.few.vectors", "'next-layers'", "0 words", "pronoun_first.csv"):
        asked(model_folder, sets=sets)


def test_it_is_measured_where_the_pronoun_comes_first_and_in_a_corpus(model_folder):
    sets = {
        "first": {"sentences": "first", "vectors": ["weak-layers", "next-layers"]},
        "text": {"corpus": "text", "vectors": ["next-layers"]},
    }
    numbers = asked(model_folder, sets=sets).numbers
    assert [path.split("/")[-2:] for path in numbers if "next" in path] == [
        ["next-layers", "first.parquet"],
        ["next-layers", "text.parquet"],
    ]
