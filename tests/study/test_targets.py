"""No section of the configuration is ignored in silence."""

import pytest

from herbarium.core.errors import HerbariumError
from herbarium.core.section import Section
from herbarium.metrics.counterfactual import targets as counterfactual
from herbarium.study import config, targets

SECTIONS = {metric.__name__.split(".")[-2] for metric in targets.METRICS} | {"counterfactual"}
# Measured without a key that says what; and one whose every entry says with which models.
ALWAYS_ASK = {"herb", "sentence_sets"}
NO_MODELS = {"data": {"planted": 1.0}, "prefix": "I am from [region].", "controls": ["here"]}


STUDY = {"models": {"m": {"hub": "a/b", "revision": "a" * 40, "kind": "masked"}}}


def asked(**sections):
    study = config.load({**STUDY, **sections})
    found = targets.of(study)
    targets.require_effect(study, "counterfactual", counterfactual.targets(study, found))
    return found


def settings(section):
    """Each setting of a section, with a value other than its default."""
    for key, value in section:
        if isinstance(value, bool):
            yield {key: not value}
        elif isinstance(value, int | float):
            yield {key: value / 2 if isinstance(value, float) else value + 1}
        elif value in ("holm", "fdr_bh"):
            yield {key: {"holm": "fdr_bh", "fdr_bh": "holm"}[value]}
        elif isinstance(value, Section):
            yield from ({key: inner} for inner in settings(value))


@pytest.mark.parametrize("name", sorted(SECTIONS - ALWAYS_ASK))
def test_a_section_that_leads_to_nothing_is_refused(name):
    of_section = list(settings(type(getattr(config.load(STUDY), name))()))
    assert of_section or name in ("mixed_effects", "crows_pairs")
    for given in of_section[:3]:
        if name == "categorical_bias" and given == {"ddof": 2}:
            given = {"ddof": 0}
        with pytest.raises(HerbariumError, match=f"{name}: nothing is measured") as caught:
            asked(**{name: given})
        assert next(iter(given)) in str(caught.value)
        assert asked(**{name: {}}).numbers == asked().numbers


@pytest.mark.parametrize(
    ("sections", "key"),
    [
        ({"downstream": {"tasks": {"t": NO_MODELS}}}, "downstream: .*tasks"),
        ({"downstream": {"tasks": {"t": NO_MODELS}}, "amplification": {"tasks": ["t"]}}, "downstream"),
        ({"local_group_bias": {"pairs": [["country:PE", "country:FR"]]}}, "local_group_bias: .*pairs"),
        ({"amplification": {"ratios": {"r": {"table": "t.csv"}}}}, "amplification.*ratios"),
        ({"amplification": {"tasks": [], "ratios": {"r": {"table": "t.csv"}}}}, "amplification.*ratios"),
        ({"mixed_effects": {"sensitivity": ["pairs"]}}, "mixed_effects: .*sensitivity"),
        ({"word_associations": {"level": 0.9}}, "word_associations: .*level"),
    ],
)
def test_so_is_one_that_lacks_what_it_measures(sections, key, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a\n")
    with pytest.raises(HerbariumError, match=key):
        asked(**sections)


@pytest.mark.parametrize(
    "sections",
    [
        {"herb": {"models": []}},
        {"amplification": {"tasks": [], "least_texts": 1}},
        {"biographies": {"tasks": {}, "sets": 2}},
        {"perplexity": {"models": [], "texts": [], "max_words": 5}},
        {
            "mixed_models": {"engine": "none"},
            "mixed_effects": {"stimuli": {"s": {"lists": "resources/mixed_effects/demo", "models": ["m"]}}},
        },
    ],
)
def test_what_is_switched_off_may_keep_its_settings(sections):
    assert asked(**sections).numbers == []
