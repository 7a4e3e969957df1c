"""The configuration: every fault is named with its place, and the documentation agrees with the types."""

import math
import subprocess
import typing
from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError
from tests.refusals import refused, tells
from tests.study.configurations import faults

from herbarium.core.resources import read_table
from herbarium.core.section import Section
from herbarium.models import loading
from herbarium.study import checks, config, notation
from herbarium.study import faults as faults_of
from herbarium.study.keys import keys, sections_of


@pytest.mark.parametrize("name", ["core.yaml", "demo.yaml", "demo_full.yaml"])
@pytest.mark.slow
def test_shipped_configurations_are_valid(name):
    path = Path("config", name)
    study = config.load(yaml.safe_load(path.read_text()), [path])
    # each model is there for a metric
    measured = {need.model for section in study.sections.values() for need in section.needs()}
    derived_from = {model.derived.base for model in study.models.values() if model.derived}
    assert {name for name, model in study.models.items() if not model.derived} <= measured | derived_from


@pytest.mark.slow
def test_the_full_study_has_the_papers_models():
    study = config.load(yaml.safe_load(Path("config/core.yaml").read_text()))
    assert study.herb.models == ["bert-base-cased", "albert-base-v2", "roberta-base", "bart-base"]
    assert all(study.models[name].revision for name in study.herb.models)
    assert study.regions.cities.largest is None
    published = read_table("resources/categorical_bias/published.csv")
    published = published[published["measure"] == "cb"]
    measured = {
        (name, model) for name, language in study.categorical_bias.languages.items() for model in language.models
    }
    assert set(zip(published["language"], published["model"], strict=True)) <= measured
    published = read_table("resources/mixed_effects/published.csv", ["table"])
    published = published[published["table"].isin(["2", "3", "4", "14"])]
    measured = {(name, model) for name, stimuli in study.mixed_effects.stimuli.items() for model in stimuli.models}
    assert set(zip(published["data"], published["model"], strict=True)) == measured
    assert all(model.hub or model.derived for model in study.models.values())


def test_an_unknown_key_is_named_with_file_line_and_the_nearest_valid_one(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text(Path("config/demo_full.yaml").read_text().replace("\nregions:", "\nregion:"))
    line = 1 + path.read_text().splitlines().index("region:")
    assert tells(
        faults(yaml.safe_load(path.read_text()), [path]), f"study.yaml, line {line}", path, "'region'", "'regions'"
    )


def test_a_key_of_an_earlier_release_is_told_by_its_new_name(values):
    told = list(renamed(config.Study))
    assert len(told) > 10
    for place, old, _ in told:
        section = values
        for key in place:
            section = section.setdefault(key, {})
        section[old] = {}
    message = faults(values)
    for place, old, now in told:
        assert tells(message, None, f"'{'.'.join((*place, old))}'", f"'{now}'")


def renamed(section, place=()):
    """(keys that lead to a section, its key of an earlier release, the present name) of a section and those in it."""
    yield from ((place, old, now) for old, now in section.renamed.items())
    for name, field in keys(section).items():
        for inner in sections_of(field.annotation):
            yield from renamed(inner, (*place, name))


def test_every_fault_is_told_at_once(values):
    values["shards"] = "many"
    values["models"]["planted-none"]["dtype"] = "fp32"
    values["herb"]["descriptions"]["more"] = "none.txt"
    text = faults(values)
    assert tells(text, "shards")
    assert tells(text, None, "models.planted-none.dtype")
    assert tells(text, None, "'float32'", "'bfloat16'", "'float16'", "'auto'", "'fp32'")
    assert tells(text, "herb.descriptions.more")


def test_a_key_given_twice_is_refused(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text("models:\n  a: {path: x, kind: masked}\n  a: {path: y, kind: masked}\n")
    said = faults(yaml.safe_load(path.read_text()), [path])
    assert tells(said, "study.yaml, line 3", path, "'models.a'", "line 2")


def test_a_rule_file_that_is_not_there_is_named_with_its_place(tmp_path):
    path = tmp_path / "study.yaml"
    rules = "rules:\n  - config/demo_full.yaml\n  - mine/rules.smk\n"
    path.write_text(Path("config/demo_full.yaml").read_text() + rules)
    line = 1 + path.read_text().splitlines().index("rules:")
    message = faults(yaml.safe_load(path.read_text()), [path])
    assert tells(message, f"study.yaml, line {line}", path, "rules.1", "'mine/rules.smk'")


def test_broken_yaml_is_named(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text("models: [\n")
    assert tells(faults({}, [path]), "study.yaml", path, "YAML")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "told"),
    [
        ({"kind": "masked"}, (None, "'hub'", "'path'", "'planted'", "'derived'")),
        ({"hub": "a/b", "path": "c", "kind": "masked"}, (None, "'hub'", "'path'", "'planted'", "'derived'")),
        ({"hub": "a/b", "revision": "main", "kind": "masked"}, (None, "revision")),
        ({"path": "a", "revision": "a" * 40, "kind": "masked"}, (None, "'revision'", "'hub'")),
        ({"path": "a", "kind": "maskd"}, (None, "'masked'", "'causal'", "'seq2seq'", "'extractive'")),
        ({"path": "a"}, (None, "folder", "a")),
        ({"planted": -1, "kind": "masked"}, ("models.m.planted",)),
        ({"planted": 1, "kind": "seq2seq"}, (None, "'kind: causal'")),
    ],
)
def test_faults_of_a_model(values, model, told):
    values["models"] = {"m": model}
    text = faults(values)
    assert tells(text, *told)
    assert tells(text, None, "models.m")


def test_a_study_may_have_one_metric(values):
    del values["herb"]
    study = config.load(values)
    assert study.herb.measured(study.models) == []


def test_the_country_code_that_yaml_takes_for_false(values):
    # NO is Norway to people and false to YAML 1.1
    values["regions"]["countries"] = yaml.safe_load("[NO]")
    assert tells(faults(values), "regions.countries.0")


def numbers_of(annotation):
    """The types of numbers that a key may hold: in a list or a union, too."""
    inner = typing.get_args(annotation)
    return {annotation} & {int, float} if not inner else set().union(*map(numbers_of, inner))


def keys_of(section, place=""):
    """Every key of a section and of those inside it, with its field."""
    for name, field in section.model_fields.items():
        yield f"{place}{name}", field
        for inner in sections_of(field.annotation):
            yield from keys_of(inner, f"{place}{name}.")


def test_every_number_has_two_bounds():
    numbers = {key: field for key, field in keys_of(config.Study) if numbers_of(field.annotation)}
    assert len(numbers) > 30
    unbounded = [key for key, field in numbers.items() if len(notation.bounds(field)) != 2]
    assert unbounded == []


@pytest.mark.parametrize("n", [1_000_000_000, 1001, 0, float("nan"), float("inf")])
@pytest.mark.slow
def test_a_number_out_of_bounds_is_refused_with_the_bound(values, n):
    values["shards"] = n
    values["models"]["planted-none"]["planted"] = n if n else -1
    message = faults(values)
    assert tells(message, "shards")
    assert tells(message, None, "models.planted-none.planted")
    if n > 1:
        assert tells(message, None, "10")


@pytest.mark.parametrize(
    ("cities", "message"),
    [
        ({}, "all"),
        ({"countries": "none"}, "none"),
        ({"min_population": 1000, "largest": 3}, "population ≥ 1000, top 3 per country"),
        ({"countries": ["FR", "NA"]}, "of FR NA"),
    ],
)
@pytest.mark.slow
def test_the_selection_of_cities_in_words(values, cities, message):
    values["regions"] = {"cities": cities}
    assert config.load(values).regions.cities_in_words == message


FOLDERS = ["workflow", "docs/mine", "tests", "sub/.git/x", ".venv", "resources/new", "workflow/../docs"]


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_results_are_no_folder_of_the_project(values, folder):
    assert tells(faults({**values, "results": folder}), "results", f"'{folder}'", "project")


def test_every_folder_of_the_project_is_known():
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is no clone")
    folders = {name.split("/")[0] for name in listed.stdout.splitlines() if "/" in name}
    assert folders
    assert folders <= set(checks.OURS)


def subclasses(section):
    yield section
    for inner in section.__subclasses__():
        yield from subclasses(inner)


@pytest.mark.parametrize("value", [True, False, [True], {"a": False}, [[True]], {"a": [True]}], ids=str)
def test_a_truth_value_is_no_number(values, value):
    tried = 0
    for section in subclasses(Section):
        for name, field in section.model_fields.items():
            if numbers_of(field.annotation):
                tried += 1
                with pytest.raises(ValidationError) as caught:
                    section.model_validate({field.alias or name: value})
                assert any(fault["loc"][:1] == (field.alias or name,) for fault in caught.value.errors()), (
                    section,
                    name,
                )
    assert tried > 100
    if isinstance(value, bool):
        values["seed"], values["herb"]["bootstrap"] = value, {"replicates": value}
        message = faults(values)
        assert tells(message, "seed", str(value).lower())
        assert tells(message, "herb.bootstrap.replicates", str(value).lower())


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_every_number_is_finite(values, value):
    values["models"]["planted-none"]["planted"] = value
    assert tells(faults(values), None, "models.planted-none.planted")

    tried = 0
    for section in subclasses(Section):
        for name, field in section.model_fields.items():
            if float in (field.annotation, *typing.get_args(field.annotation)):
                tried += 1
                with pytest.raises(ValidationError) as caught:
                    section.model_validate({field.alias or name: value})
                assert (field.alias or name,) in [fault["loc"] for fault in caught.value.errors()], (section, name)
    assert tried > 10


@pytest.mark.slow
@pytest.mark.parametrize("escape", [r"\e", r"\b", r"\x7f", r"\0", r"\x9b"])
def test_a_control_character_that_yaml_has_an_escape_for_is_refused(tmp_path, values, escape):
    path = tmp_path / "study.yaml"
    values["herb"]["map_description"] = "PLACE"
    path.write_text(yaml.safe_dump(values).replace("PLACE", f'"we{escape}ak"'))
    message = faults(yaml.safe_load(path.read_text()), [path])
    assert tells(message, "herb.map_description", path)


def aliases(times, line):
    return "\n".join(["a0: &a0 {k: 1}", *(line.format(new=n + 1, old=n) for n in range(times))])


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (aliases(30, "a{new}: &a{new} [*a{old}, *a{old}]"), ("line 16", "aliases")),
        (aliases(30, "a{new}: &a{new} {{x: *a{old}, y: *a{old}}}"), ("aliases",)),
        (aliases(30, "a{new}: &a{new} {{<<: [*a{old}, *a{old}], k{new}: 1}}"), ("aliases",)),
        (aliases(60, "a{new}: &a{new} [*a{old}]"), ("levels",)),
        ("models: &m\n  a: *m\n", ("line 1", "itself")),
        ("models: &m [*m]\n", ("itself",)),
        ("models: " + "[" * 3000 + "]" * 3000, ("levels",)),
        ("models: " + "{a: " * 60 + "1" + "}" * 60, ("levels",)),
        ("a: [" + "1, " * 100_000 + "1]", ("100,000 values",)),
    ],
    ids=["lists", "mappings", "merge keys", "a chain", "mapping in itself", "list in itself", "deep", "deeper", "long"],
)
@pytest.mark.slow
def test_a_small_file_that_is_large_when_it_is_read(tmp_path, text, fault):
    """Refused while nothing of it is built: Snakemake would read it for hours, or end in a traceback."""
    (tmp_path / "study.yaml").write_text(text)
    for read in (faults_of.require_file, loading.read_lock):
        with refused("study.yaml", *fault):
            read(tmp_path / "study.yaml")


def test_aliases_and_merge_keys_are_fine(tmp_path):
    (tmp_path / "study.yaml").write_text("a: &a {k: 1}\nb: {<<: *a, l: 2}\nc: [*a, *a]\n")
    faults_of.require_file(tmp_path / "study.yaml")
