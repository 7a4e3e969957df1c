"""The section of the configuration: every fault of it is named with its key."""

import pytest
import yaml
from tests.study.configurations import faults

from herbarium.study import config

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
    assert config.load(values).downstream.training.sets == 3


def test_labels_are_text_whatever_they_are_written_as(values):
    task = config.load(with_task(values, negative=[0, "2"], positive=[1])).downstream.tasks["reviews"]
    assert (task.negative, task.positive) == (["0", "2"], ["1"])
    # no and yes are labels to people and Booleans to YAML 1.1
    text = faults(with_task(values, negative=yaml.safe_load("[no]")))
    assert "downstream.tasks.reviews.negative.0: YAML reads this as false; put it in quotes" in text


def test_what_examples_depend_on_is_not_what_they_are_measured_with(values):
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
        ({"data": {}}, "reviews.data: give exactly one of 'hub', 'git', 'path' and 'planted'"),
        ({"data": {**HUB, "path": "a.csv"}}, "exactly one of"),
        ({"data": {"hub": "stanfordnlp/imdb"}}, "'hub' needs its 'revision'"),
        ({"data": {**HUB, "revision": "main"}}, "reviews.data.revision"),
        ({"data": {"path": "a.csv", "revision": "e" * 40}}, "'revision' belongs to 'hub' and 'git'"),
        ({"data": {"path": "a.csv", "folders": ["a"]}}, "'folders' belongs to 'git'"),
        (
            {"data": {"git": "https://a.b/c", "revision": "e" * 40, "table": "a.csv", "folders": ["a"]}},
            "'folders' belongs to 'texts_in'",
        ),
        ({"data": {"git": "https://a.b/c", "revision": "e" * 40}}, "'git' needs 'table'"),
        ({"data": {"path": "a.csv", "texts": 80}}, "'texts' belongs to 'planted'"),
        ({"data": {"path": "a.tab"}}, "a.tab: this should be a table with the suffix .csv, .csv.gz, .tsv, .parquet"),
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
        ({"source": "^(.)"}, "'source' is matched against the id: name its column, 'id'"),
        ({"source": "^(.", "id": "key"}, "source: '^(.' is not a regular expression"),
        ({"source": "^.", "id": "key"}, "source: '^.' has no group"),
        ({"prefix": "I am from Peru."}, "prefix: 'I am from Peru.' must have [region] once, and no other slot"),
        ({"prefix": "[region] or [region]."}, "must have [region] once"),
        ({"prefix": "[region] and [city]."}, "must have [region] once"),
        ({"prefix": "I am from [region]. "}, "leading or trailing white space, which the model would read"),
        ({"controls": []}, "reviews.controls"),
        ({"controls": ["here", ""]}, "controls: '' is empty"),
        ({"controls": ["here", "here"]}, "controls: one is repeated"),
        ({"max_test_samples": 1}, "reviews.max_test_samples"),
        ({"models": ["planted-nome"]}, "downstream.tasks.reviews.models: 'planted-nome' is not one of the models; did"),
        ({"classifiers": {"a": {"path": "a"}}}, "reviews.classifiers.a.positive"),
        ({"classifiers": {"a": {"positive": "b"}}}, "a classifier has exactly one of 'hub' and 'path'"),
        ({"classifiers": {"a": {"hub": "a/b", "positive": "b"}}}, "'hub' and 'revision', the commit of 40 hex digits"),
        (
            {"classifiers": {"planted-weak": {"path": "a", "positive": "b"}}},
            "downstream.tasks.reviews.classifiers: 'planted-weak' is already the name of a model",
        ),
        ({"lable": "label"}, "unknown key 'downstream.tasks.reviews.lable'; did you mean 'label'?"),
    ],
)
def test_faults_of_a_task(values, changes, message):
    assert message in faults(with_task(values, **changes))


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"training": {"sets": 0}}, "downstream.training.sets"),
        ({"training": {"seeds": 2}}, "'downstream.training.seeds' is now called 'downstream.training.sets'"),
        ({"nonsense": "none.txt"}, "downstream.nonsense: none.txt: no such file"),
        ({"words": ["none.txt"]}, "downstream.words.0: none.txt: no such file"),
        ({"words": []}, "downstream.words: List should have at least 1 item"),
        ({"regions": {"countries": yaml.safe_load("[NO]")}}, "downstream.regions.countries"),
    ],
)
def test_faults_of_the_section(values, section, message):
    assert message in faults({**values, "downstream": section})


def test_models_of_a_task_may_be_of_any_kind(values):
    values["models"] |= {kind: {"path": "x", "kind": kind} for kind in ("causal", "seq2seq")}
    assert config.load(with_task(values, models=["causal", "seq2seq", "planted-none"]))


def test_planted_texts_are_of_the_words_of_herb_unless_others_are_named(values):
    of_herb = config.load({**values, "herb": {}}).herb.descriptions
    assert config.load(with_task(values)).downstream.words == list(of_herb.values())


def test_what_is_measured_are_models_and_published_classifiers(values):
    values = with_task(values, classifiers={"mine": {"path": "mine", "positive": "POS"}})
    values["downstream"] |= {"training": {"sets": 2}}
    section = config.load(values).downstream
    assert section.measured == [("reviews", "planted-none"), ("reviews", "mine")]
    assert section.runs("reviews", "planted-none") == ["set-1", "set-2"]
    assert section.runs("reviews", "mine") == ["published"]
    assert section.planted == {"reviews": None}
