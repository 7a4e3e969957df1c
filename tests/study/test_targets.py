"""No section of the configuration is ignored in silence."""

from pathlib import Path

import pandas as pd
import pytest
import yaml
from tests.refusals import refused
from tests.study.configurations import GOOD

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
    result = targets.of(study)
    counterfactual.require_sentences(study, result)
    swapped = targets.ignored(study, "counterfactual", counterfactual.targets(study, result))
    targets.require_effect(targets.idle(study) | {"counterfactual": swapped})
    return result


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


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SECTIONS - ALWAYS_ASK))
def test_a_section_that_leads_to_nothing_is_refused(name):
    of_section = list(settings(type(getattr(config.load(STUDY), name))()))
    assert of_section or name in ("mixed_effects", "crows_pairs")
    for given in of_section[:3]:
        if name == "categorical_bias" and given == {"ddof": 2}:
            given = {"ddof": 0}
        with refused(name, next(iter(given))):
            asked(**{name: given})
        assert asked(**{name: {}}).numbers == asked().numbers


@pytest.mark.parametrize(
    ("sections", "fault"),
    [
        ({"downstream": {"tasks": {"t": NO_MODELS}}}, ("downstream", "tasks")),
        ({"downstream": {"tasks": {"t": NO_MODELS}}, "amplification": {"tasks": ["t"]}}, ("downstream",)),
        ({"local_group_bias": {"pairs": [["country:PE", "country:FR"]]}}, ("local_group_bias", "pairs")),
        ({"amplification": {"ratios": {"r": {"table": "t.csv"}}}}, ("amplification", "ratios")),
        ({"amplification": {"tasks": [], "ratios": {"r": {"table": "t.csv"}}}}, ("amplification", "ratios")),
        ({"mixed_effects": {"sensitivity": ["pairs"]}}, ("mixed_effects", "sensitivity")),
        ({"word_associations": {"level": 0.9}}, ("word_associations", "level")),
    ],
)
def test_so_is_one_that_lacks_what_it_measures(sections, fault, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a\n")
    with refused(*fault):
        asked(**sections)


def derived(**by):
    return {"models": {"n": {"derived": {"from": "m", "by": by}}}}


TEXTS = {"path": "t.csv"}
ALIGNED = {"recipe": "alignment", "corpus": "y", "to": "m", "parallel": "x", "languages": ["a", "b"]}
PAIRS = {"table": "resources/gender_in_context/pronoun_first.csv", "sides": ["feminine", "masculine"]}
WORDS = {"occupations": {"o": {"table": "resources/sentence_sets/winobias_women.csv"}}}


@pytest.mark.parametrize(
    ("place", "entry", "use"),
    [
        ("corpora", TEXTS, derived(recipe="continued", corpus="x")),
        ("corpora", TEXTS, {"perplexity": {"models": ["m"], "texts": ["x"]}}),
        ("parallel", {"texts": {"a": TEXTS, "b": TEXTS}}, derived(**ALIGNED) | {"corpora": {"y": TEXTS}}),
        ("vectors", {"planted": 1.0}, {"word_associations": {"sources": ["x"], **WORDS}}),
        (
            "vectors",
            {"model": "m"},
            {"vectors": {"y": {"debiased": {"from": "x"}}}, "word_associations": {"sources": ["y"], **WORDS}},
        ),
        ("downstream.tasks", NO_MODELS, {"downstream": {"tasks": {"x": {"models": ["m"]}}}}),
        ("sentence_sets", PAIRS, {"sentence_sets": {"x": {"models": ["m"], "quantity": "pll"}}}),
        (
            "sentence_sets",
            PAIRS,
            {
                "vectors": {"y": {"model": "m", "layers": [-1]}},
                "gender_in_context": {"sets": {"z": {"sentences": "x", "vectors": ["y"]}}},
            },
        ),
        ("testbed", {"steps": 20}, {"models": {"p": {"planted": 1.0, "kind": "masked"}}}),
    ],
)
def test_so_is_an_entry_that_nothing_uses(place, entry, use, tmp_path, monkeypatch):
    pd.DataFrame({"text": ["a"]}).to_csv(tmp_path / "t.csv")
    monkeypatch.chdir(tmp_path)
    name = "steps" if place == "testbed" else "x"
    inner = entry if place == "testbed" else {"x": entry}
    for part in reversed(place.split(".")):
        inner = {part: inner}
    with refused(f"{place}.{name}", "nothing uses it"):
        targets.require_used(config.load({**STUDY, **inner}))
    targets.require_used(config.load(merged({**STUDY, **inner}, use)))


def merged(values, more):
    """A configuration with more in it."""
    if not isinstance(values, dict) or not isinstance(more, dict):
        return more
    return values | {key: merged(values[key], change) if key in values else change for key, change in more.items()}


def test_every_list_that_other_sections_refer_to_is_looked_at():
    known = {to for _, _, to in config.load(GOOD).references()}
    # a task must say itself what measures it (`unused`)
    assert known - {"downstream.tasks"} <= targets.USES.keys()


def test_a_section_says_of_which_others_it_can_name_entries():
    study = config.load(GOOD)
    assert any(section.takes for section in study.sections.values())
    for name, section in study.sections.items():
        if name not in ("vectors", "corpora"):  # not metrics
            named = {to for _, _, to in section.refers()} | {"vectors" for _ in section.vectors_wanted()}
            assert named <= set(section.takes), name
    assert "`perplexity`" in targets.uses(study, "corpora")
    assert "`biographies`" in targets.uses(study, "vectors")


@pytest.mark.slow
def test_every_configuration_of_ours_uses_what_it_names(everything):
    files = [file for file in Path("config").rglob("*.yaml") if "MODEL" not in file.read_text()]
    alone = [yaml.safe_load(file.read_text()) for file in files if file.name != "everything.yaml"]
    for values in (*alone, everything[1]):
        targets.require_used(config.load(values))


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
