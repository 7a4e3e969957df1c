"""The configuration: every fault is named with its place, and the documentation agrees with the types."""

import copy
from pathlib import Path

import pytest
import yaml

from herbarium.core.errors import HerbariumError
from herbarium.core.resources import read_table
from herbarium.metrics.herb import score as metric
from herbarium.metrics.herb import stimuli as probe
from herbarium.study import config

GOOD = yaml.safe_load(Path("config/demo.yaml").read_text())


def faults(values, files=()):
    with pytest.raises(HerbariumError) as caught:
        config.load(values, files)
    return str(caught.value)


@pytest.fixture
def values():
    return copy.deepcopy(GOOD)


@pytest.mark.parametrize("name", ["config.yaml", "demo.yaml"])
def test_shipped_configurations_are_valid(name):
    path = Path("config", name)
    study = config.load(yaml.safe_load(path.read_text()), [path])
    # each model is there for a metric
    assert {*study.herb_models, *study.categorical_bias.models, *study.mixed_effects.models} == set(study.models)


def test_the_full_study_has_the_papers_models():
    study = config.load(yaml.safe_load(Path("config/config.yaml").read_text()))
    assert study.herb_models == ["bert-base-cased", "albert-base-v2", "roberta-base", "bart-base"]
    assert all(study.models[name].revision for name in study.herb_models)
    assert study.herb.regions.cities.largest is None
    published = read_table("resources/published/categorical_bias.csv")
    published = published[published["measure"] == "cb"]
    measured = {(name, model) for name, of in study.categorical_bias.languages.items() for model in of.models}
    assert set(zip(published["language"], published["model"], strict=True)) <= measured
    published = read_table("resources/published/mixed_effects.csv", ["table"])
    published = published[published["table"].isin(["2", "3", "4", "14"])]
    measured = {(name, model) for name, of in study.mixed_effects.probes.items() for model in of.models}
    assert set(zip(published["probe"], published["model"], strict=True)) == measured
    assert all(model.hub for model in study.models.values())


def test_an_unknown_key_is_named_with_file_line_and_the_nearest_valid_one(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text(Path("config/demo.yaml").read_text().replace("  regions:", "  region:"))
    line = 1 + path.read_text().splitlines().index("  region:")
    assert f"{path}, line {line}: unknown key 'herb.region'; did you mean 'regions'?" in faults(
        yaml.safe_load(path.read_text()), [path]
    )


def test_every_fault_is_told_at_once(values):
    values["shards"] = "many"
    values["models"]["planted-none"]["dtype"] = "fp32"
    values["herb"]["descriptions"]["more"] = "none.txt"
    text = faults(values)
    assert "shards" in text
    assert "models.planted-none.dtype" in text
    assert "'float32', 'bfloat16', 'float16' or 'auto' (it is 'fp32')" in text
    assert "herb.descriptions.more: none.txt: no such file" in text


def test_a_key_given_twice_is_refused(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text("models:\n  a: {path: x, kind: masked}\n  a: {path: y, kind: masked}\n")
    assert f"{path}, line 3: 'models.a' stands already in line 2" in faults(yaml.safe_load(path.read_text()), [path])


def test_broken_yaml_is_named(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text("models: [\n")
    assert f"{path} is not valid YAML" in faults({}, [path])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ({"kind": "masked"}, "exactly one of 'hub', 'path' and 'planted'"),
        ({"hub": "a/b", "path": "c", "kind": "masked"}, "exactly one of"),
        ({"hub": "a/b", "revision": "main", "kind": "masked"}, "revision"),
        ({"path": "a", "revision": "a" * 40, "kind": "masked"}, "'revision' belongs to 'hub'"),
        ({"path": "a", "kind": "maskd"}, "'masked', 'causal' or 'seq2seq'"),
        ({"path": "a"}, "kind"),
        ({"planted": -1, "kind": "masked"}, "planted"),
        ({"planted": 1, "kind": "causal"}, "a planted model is 'kind: masked'"),
    ],
)
def test_faults_of_a_model(values, model, message):
    values["models"] = {"m": model}
    text = faults(values)
    assert message in text
    assert "models.m" in text


@pytest.mark.parametrize("name", ["../m", "a/b", "a b", "", "x" * 65])
def test_names_that_are_no_file_names_are_refused(values, name):
    values["models"][name] = {"planted": 1.0, "kind": "masked"}
    assert "should match pattern" in faults(values) or "at most 64" in faults(values)


def test_herb_models_are_models_that_can_be_scored(values):
    values["herb"]["models"] = ["planted-nome"]
    assert "'planted-nome' is not one of the models; did you mean 'planted-none'?" in faults(values)
    values["herb"]["models"] = ["gpt"]
    values["models"]["gpt"] = {"path": "x", "kind": "causal"}
    assert "'gpt' is causal" in faults(values)


def test_toxic_models_are_masked_models_of_herb(values):
    values["herb"]["toxic"]["models"] = ["planted-nome"]
    assert "'planted-nome' is not one of the models that HERB measures; did you mean 'planted-none'?" in faults(values)
    values["models"]["bart"] = {"path": "x", "kind": "seq2seq"}
    values["herb"]["models"].append("bart")
    values["herb"]["toxic"]["models"] = ["bart"]
    assert "herb.toxic.models: 'bart' is seq2seq; toxic training masks regions and needs a masked model" in faults(
        values
    )
    values["herb"] |= {"models": ["planted-weak"], "toxic": {"models": ["planted-none"]}}
    assert "'planted-none' is not one of the models that HERB measures" in faults(values)


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


def test_a_study_may_have_one_metric(values):
    del values["herb"]
    assert config.load(values).herb_models == []


def test_no_model_is_trained_unless_named(values):
    del values["herb"]["toxic"]
    assert config.load(values).herb.toxic.models == []


def test_the_country_code_that_yaml_takes_for_false(values):
    # NO is Norway to people and false to YAML 1.1
    values["herb"]["regions"]["countries"] = yaml.safe_load("[NO]")
    assert "herb.regions.countries" in faults(values)


TASK = {
    "data": {"path": "reviews.csv.gz"},
    "negative": ["neg"],
    "positive": ["pos"],
    "split": {"test_share": 0.2},
    "prefix": "The cast is from [region].",
    "controls": ["here", "there"],
    "models": ["planted-none"],
}
PLANTED = {"data": {"planted": 2.0}, "prefix": "I am from [region].", "controls": ["here"]}


def with_task(values, **changes):
    """A study with one task; a change to None takes its key away."""
    task = {key: value for key, value in {**TASK, **changes}.items() if value is not None}
    return {**values, "downstream": {"tasks": {"reviews": task}}}


def test_no_task_unless_named(values):
    del values["downstream"]
    assert config.load(values).downstream.tasks == {}
    assert config.load(values).downstream.training.seeds == 3


def test_labels_are_text_whatever_they_are_written_as(values):
    task = config.load(with_task(values, negative=[0, "2"], positive=[1])).downstream.tasks["reviews"]
    assert (task.negative, task.positive) == (["0", "2"], ["1"])
    # no and yes are labels to people and Booleans to YAML 1.1
    text = faults(with_task(values, negative=yaml.safe_load("[no]")))
    assert "downstream.tasks.reviews.negative.0: YAML reads this as false; put it in quotes" in text


def test_what_examples_hang_on_is_not_what_they_are_measured_with(values):
    task = config.load(with_task(values)).downstream.tasks["reviews"]
    assert task.reading.keys().isdisjoint({"models", "classifiers", "prefix", "controls"})
    assert task.reading["split"]["test_share"] == 0.2
    values["downstream"] = {"tasks": {"reviews": PLANTED}}
    planted = config.load(values).downstream.tasks["reviews"]
    assert planted.reading["prefix"] == "I am from [region]."  # the texts have it
    assert planted.data.texts == 2400


HUB = {"hub": "stanfordnlp/imdb", "revision": "e" * 40, "subset": "plain_text"}
OWN_SPLITS = {"train": ["train"], "test": ["test"]}


@pytest.mark.parametrize(
    "changes",
    [
        {"data": HUB, "split": OWN_SPLITS},
        {"data": HUB, "split": {"test_share": 0.5, "balanced": True}},
        {"split": {"column": "part", **OWN_SPLITS}, "id": "key", "source": "^(.*)_"},
        {"classifiers": {"lvwerra-imdb": {"hub": "lvwerra/imdb", "revision": "e" * 40, "positive": "LABEL_1"}}},
        {"classifiers": {"mine": {"path": "mine", "positive": "POS"}}, "models": []},
    ],
)
def test_tasks_that_are_valid(values, changes):
    assert config.load(with_task(values, **changes)).downstream.tasks["reviews"].prefix == TASK["prefix"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"data": {}}, "reviews.data: data have exactly one of 'hub', 'git', 'path' and 'planted'"),
        ({"data": {**HUB, "path": "a.csv"}}, "exactly one of"),
        ({"data": {"hub": "stanfordnlp/imdb"}}, "'hub' needs its 'revision'"),
        ({"data": {**HUB, "revision": "main"}}, "reviews.data.revision"),
        ({"data": {"path": "a.csv", "revision": "e" * 40}}, "'revision' belongs to 'hub' and 'git'"),
        ({"data": {"path": "a.csv", "folders": ["a"]}}, "'folders' belongs to 'git'"),
        ({"data": {"git": "https://a.b/c", "revision": "e" * 40}}, "'git' needs 'table' and 'texts_in'"),
        ({"data": {"path": "a.csv", "texts": 80}}, "'texts' belongs to 'planted'"),
        ({"data": {"path": "a.tsv"}}, "a.tsv: a table is wanted, with the suffix .csv, .csv.gz, .parquet"),
        ({"data": {"planted": -1}}, "reviews.data.planted"),
        ({"data": {"planted": 1, "texts": 81}}, "multiple of 8"),
        ({"data": {"planted": 1}}, "'negative' is not for planted texts, which have their own"),
        ({"negative": None}, "'negative' is missing"),
        ({"positive": []}, "'positive' is missing"),
        ({"split": None}, "'split' is missing"),
        ({"split": {}}, "a split is either 'train' and 'test'"),
        ({"split": {"test_share": 0.2, **OWN_SPLITS}}, "a split is either"),
        ({"split": {"column": "part", "train": ["a"]}}, "'train' and 'test' belong together"),
        ({"split": {"column": "part", "train": ["a"], "test": []}}, "reviews.split.test"),
        ({"split": {"column": "part", "train": ["a"], "test": ["b", "a"]}}, "'a' is in 'train' and in 'test'"),
        ({"split": {"column": "part", **OWN_SPLITS, "balanced": True}}, "'balanced' belongs to 'test_share'"),
        ({"split": {"test_share": 1}}, "reviews.split.test_share"),
        ({"split": OWN_SPLITS}, "a table has no splits of its own: 'split' needs a 'column', or 'test_share'"),
        ({"ignored": ["none", "pos"]}, "the label 'pos' is in 'positive' and again in 'ignored'"),
        ({"negative": ["neg", "neg"]}, "the label 'neg' is in 'negative' and again in 'negative'"),
        ({"negative": [1], "positive": ["1"]}, "the label '1' is in 'negative' and again in 'positive'"),
        ({"source": "^(.)"}, "'source' is found in the id: name its column, 'id'"),
        ({"source": "^(.", "id": "key"}, "source: '^(.' is no regular expression"),
        ({"source": "^.", "id": "key"}, "source: '^.' has no group"),
        ({"prefix": "I am from Peru."}, "prefix: 'I am from Peru.' must have [region] once, and no other slot"),
        ({"prefix": "[region] or [region]."}, "must have [region] once"),
        ({"prefix": "[region] and [city]."}, "must have [region] once"),
        ({"prefix": "I am from [region]. "}, "white space around it that would be read"),
        ({"controls": []}, "reviews.controls"),
        ({"controls": ["here", ""]}, "controls: '' is empty"),
        ({"controls": ["here", "here"]}, "controls: one stands there twice"),
        ({"max_test_samples": 1}, "reviews.max_test_samples"),
        ({"models": ["planted-nome"]}, "downstream.tasks.reviews.models: 'planted-nome' is not one of the models; did"),
        ({"classifiers": {"a": {"path": "a"}}}, "reviews.classifiers.a.positive"),
        ({"classifiers": {"a": {"positive": "b"}}}, "a classifier has exactly one of 'hub' and 'path'"),
        ({"classifiers": {"a": {"hub": "a/b", "positive": "b"}}}, "'hub' and 'revision', the commit of 40 hex digits"),
        (
            {"classifiers": {"planted-weak": {"path": "a", "positive": "b"}}},
            "downstream.tasks.reviews.classifiers: 'planted-weak' is the name of a model already",
        ),
        ({"lable": "label"}, "unknown key 'downstream.tasks.reviews.lable'; did you mean 'label'?"),
    ],
)
def test_faults_of_a_task(values, changes, message):
    assert message in faults(with_task(values, **changes))


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"training": {"seeds": 0}}, "downstream.training.seeds"),
        ({"nonsense": "none.txt"}, "downstream.nonsense: none.txt: no such file"),
        ({"local_groups": {"pairs": [["country:IE"]]}}, "pairs: ['country:IE'] is no pair; two region ids are wanted"),
        ({"local_groups": {"pairs": [["country:IE", "country:IE"]]}}, "is no pair"),
        ({"regions": {"countries": yaml.safe_load("[NO]")}}, "downstream.regions.countries"),
    ],
)
def test_faults_of_the_downstream_probes(values, section, message):
    assert message in faults({**values, "downstream": section})


def test_models_of_a_task_may_be_of_any_kind(values):
    values["models"] |= {kind: {"path": "x", "kind": kind} for kind in ("causal", "seq2seq")}
    assert config.load(with_task(values, models=["causal", "seq2seq", "planted-none"]))


def test_every_key_is_explained():
    for row in config.parameter_table().splitlines()[2:]:
        assert not row.endswith("| None |"), row


def test_the_switches_of_the_released_code_are_its_departures():
    switches = set(config.Released.model_fields)
    assert switches == {*probe.DEPARTURES, *metric.DEPARTURES}
    study = config.load({**GOOD, "herb": {**GOOD["herb"], "released": {"pad_mean": False}}})
    assert study.herb.departures == [name for name in config.Released.model_fields if name != "pad_mean"]


def test_substitutes_stand_for_descriptions(values, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("one\none\n")
    values["herb"]["substitutes"] = {"strenght": str(words)}
    assert "herb.substitutes: 'strenght' is no topic; did you mean 'strength'?" in faults(values)
    values["herb"]["substitutes"] = {"strength": str(words)}
    assert "herb.substitutes.strength: 2 words stand for 23 descriptions" in faults(values)


def test_the_map_shows_a_description(values, tmp_path):
    assert config.load(values).herb.shown_description == "bald"
    values["herb"]["map_description"] = "balt"
    assert "herb.map_description: 'balt' is no description; did you mean 'bald'?" in faults(values)
    words = tmp_path / "words.txt"
    words.write_text("odd\neven\n")
    values["herb"] |= {"map_description": None, "descriptions": {"numbers": str(words)}}
    assert config.load(values).herb.shown_description == "odd"


def test_templates_and_names_are_read_before_the_first_job(values, tmp_path):
    template, names = tmp_path / "template.txt", tmp_path / "names.csv"
    template.write_text("[region] is [description] and [plural].\n")
    names.write_text("region,name\na,\n")
    values["herb"] |= {"templates": {"mine": str(template)}, "names": {"mine": str(names), "letters": "ascii"}}
    text = faults(values)
    assert "herb.templates.mine" in text
    assert "the slot [description] or [plural] or [singular] or [released] must stand once" in text
    assert "row 1: it has an empty cell" in text


@pytest.mark.parametrize(
    ("cities", "said"),
    [
        ({}, "all"),
        ({"countries": "none"}, "none"),
        ({"min_population": 1000, "largest": 3}, "population ≥ 1000, top 3 per country"),
        ({"countries": ["FR", "NA"]}, "of FR NA"),
    ],
)
def test_the_selection_of_cities_in_words(values, cities, said):
    values["herb"]["regions"] = {"cities": cities}
    assert config.load(values).herb.regions.cities_in_words == said
