"""What a study asks for of CrowS-Pairs: every file by name."""

import pytest

from herbarium.core.errors import HerbariumError
from herbarium.core.targets import Targets
from herbarium.metrics.crows_pairs import targets as crows_pairs
from herbarium.study import config

PUBLISHED = ["<work>/published/crows_pairs.parquet"]


@pytest.fixture
def study(tmp_path, model_folder):
    (tmp_path / "pairs.csv").write_text("sent_more,sent_less,bias_type\nShe is weak.,He is weak.,gender\n")

    def load(models=("real",), engine="lme4", **changes):
        known = {
            "real": {"path": str(model_folder("bert")), "kind": "masked"},
            "weak": {"planted": 1.0, "kind": "masked"},
            "next": {"path": str(model_folder("llama")), "kind": "causal"},
            "copy": {"path": str(model_folder("bart")), "kind": "seq2seq"},
        }
        section = {"table": str(tmp_path / "pairs.csv"), "models": list(models)} if models else {}
        study = {"models": known, "crows_pairs": section | changes.pop("crows_pairs", {})}
        return config.load(study | {"mixed_models": {"engine": engine}} | changes)

    return load


def test_without_an_engine_the_score_is_measured_all_the_same(study):
    with_engine, without = crows_pairs.targets(study()), crows_pairs.targets(study(engine="none"))
    assert (len(with_engine.fits), without.fits) == (1, [])
    assert with_engine.numbers == without.numbers


def test_the_published_table_belongs_to_the_study_of_mixed_effects(study):
    mixed = {"stimuli": {"demo": {"lists": "resources/mixed_effects/demo", "models": ["real"]}}}
    tables = ["<results>/tables/crows_pairs_table15.csv"]
    assert crows_pairs.targets(study(models=(), mixed_effects=mixed)) == Targets(published=PUBLISHED, tables=tables)


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"table": None}, "'table' and 'models' belong together"),
        (
            {"models": ["copy"]},
            "'copy' is seq2seq; the score of a sentence needs a causal or masked model; use 'sentence_sets' with "
            "'quantity: aul' instead",
        ),
        ({"models": ["rael"]}, "'rael' is not one of the models; did you mean 'real'?"),
        ({"table": "resources/mixed_effects/demo/pairs.csv"}, "the column 'sent_more' is missing"),
    ],
)
def test_a_faulty_section_is_told(study, section, message):
    with pytest.raises(HerbariumError) as fault:
        study(crows_pairs=section)
    assert message in str(fault.value)
