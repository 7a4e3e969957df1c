"""The section of the configuration: every fault of it is named with its key."""

import pytest
import yaml
from tests.refusals import tells
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


@pytest.mark.slow
def test_no_task_unless_named(values):
    del values["downstream"]
    assert config.load(values).downstream.tasks == {}
    assert config.load(values).downstream.training.sets == 3


@pytest.mark.slow
def test_labels_are_text_whatever_they_are_written_as(values):
    task = config.load(with_task(values, negative=[0, "2"], positive=[1])).downstream.tasks["reviews"]
    assert (task.negative, task.positive) == (["0", "2"], ["1"])
    # no and yes are labels to people and Booleans to YAML 1.1
    text = faults(with_task(values, negative=yaml.safe_load("[no]")))
    assert tells(text, "downstream.tasks.reviews.negative.0")


@pytest.mark.slow
def test_what_examples_depend_on_is_not_what_they_are_measured_with(values):
    task = config.load(with_task(values)).downstream.tasks["reviews"]
    assert task.reading.keys().isdisjoint({"models", "classifiers", "prefix", "controls"})
    assert task.reading["split"]["test_share"] == 0.2
    values["downstream"] = {"tasks": {"reviews": PLANTED}}
    planted = config.load(values).downstream.tasks["reviews"]
    assert planted.reading["prefix"] == "I am from [region]."  # the texts have it
    assert planted.data.texts == 2400


@pytest.mark.slow
def test_groups_are_named_once_by_values_or_by_columns(values):
    groups = {"gender": {"column": "sex", "values": ["F", "M"]}, "race": {"columns": ["white", "black"]}}
    study = config.load(with_task(values, groups=groups))
    assert study.downstream.groups("reviews") == {"gender": ["F", "M"], "race": ["white", "black"]}
    task = study.downstream.tasks["reviews"]
    assert task.reading["groups"]["race"]["at_least"] == 0.5
    # a task without groups is the task that it was
    assert "groups" not in config.load(with_task(values)).downstream.tasks["reviews"].reading


@pytest.mark.slow
@pytest.mark.parametrize(
    "attribute",
    [
        {"column": "sex"},
        {"values": ["F", "M"]},
        {"column": "sex", "columns": ["white", "black"]},
        {"column": "sex", "values": ["F"]},
        {"columns": ["white", "white"]},
        {},
    ],
)
def test_faults_of_groups(values, attribute):
    assert tells(faults(with_task(values, groups={"gender": attribute})), "downstream.tasks.reviews.groups.gender")


HUB = {"hub": "stanfordnlp/imdb", "revision": "e" * 40, "subset": "plain_text"}
OWN_SPLITS = {"train": ["train"], "test": ["test"]}


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"data": {}}, ("downstream.tasks.reviews.data", "'hub'", "'git'", "'path'", "'planted'")),
        ({"data": {**HUB, "path": "a.csv"}}, (None, "'hub'", "'path'")),
        ({"data": {"hub": "stanfordnlp/imdb"}}, (None, "'hub'", "'revision'")),
        ({"data": {**HUB, "revision": "main"}}, (None, "reviews.data.revision")),
        ({"data": {"path": "a.csv", "revision": "e" * 40}}, (None, "'revision'", "'hub'", "'git'")),
        ({"data": {"path": "a.csv", "folders": ["a"]}}, (None, "'folders'", "'git'")),
        (
            {"data": {"git": "https://a.b/c", "revision": "e" * 40, "table": "a.csv", "folders": ["a"]}},
            (None, "'folders'", "'texts_in'"),
        ),
        ({"data": {"git": "https://a.b/c", "revision": "e" * 40}}, (None, "'git'", "'table'")),
        ({"data": {"path": "a.csv", "texts": 80}}, (None, "'texts'", "'planted'")),
        ({"data": {"path": "a.tab"}}, (None, "a.tab", ".csv", ".parquet")),
        ({"data": {"planted": -1}}, (None, "reviews.data.planted")),
        ({"data": {"planted": 1, "texts": 81}}, (None, "8")),
        ({"data": {"planted": 1}}, (None, "'negative'")),
        ({"negative": None}, (None, "'negative'")),
        ({"positive": []}, (None, "'positive'")),
        ({"split": None}, (None, "'split'")),
        ({"split": {}}, (None, "'train'", "'test'", "'test_share'")),
        ({"split": {"test_share": 0.2, **OWN_SPLITS}}, (None, "'train'", "'test'", "'test_share'")),
        ({"split": {"column": "part", "train": ["a"]}}, (None, "'train'", "'test'")),
        ({"split": {"column": "part", "train": ["a"], "test": []}}, (None, "reviews.split.test")),
        ({"split": {"column": "part", "train": ["a"], "test": ["b", "a"]}}, (None, "'a'", "'train'", "'test'")),
        ({"split": {"column": "part", **OWN_SPLITS, "balanced": True}}, (None, "'balanced'", "'test_share'")),
        ({"split": {"test_share": 1}}, (None, "reviews.split.test_share")),
        ({"split": OWN_SPLITS}, (None, "'split'", "'column'", "'test_share'")),
        ({"ignored": ["none", "pos"]}, (None, "'pos'", "'positive'", "'ignored'")),
        ({"negative": ["neg", "neg"]}, (None, "'neg'", "'negative'")),
        ({"negative": [1], "positive": ["1"]}, (None, "'1'", "'negative'", "'positive'")),
        ({"source": "^(.)"}, (None, "'source'", "'id'")),
        ({"source": "^(.", "id": "key"}, (None, "source", "'^(.'")),
        ({"source": "^.", "id": "key"}, (None, "source", "'^.'")),
        ({"prefix": "I am from Peru."}, (None, "'I am from Peru.'", "[region]")),
        ({"prefix": "[region] or [region]."}, (None, "[region]")),
        ({"prefix": "[region] and [city]."}, (None, "[region]")),
        ({"prefix": "I am from [region]. "}, (None, "white space")),
        ({"controls": []}, (None, "reviews.controls")),
        ({"controls": ["here", ""]}, (None, "controls", "''")),
        ({"controls": ["here", "here"]}, (None, "controls", "repeated")),
        ({"max_test_samples": 1}, (None, "reviews.max_test_samples")),
        ({"models": ["planted-nome"]}, ("downstream.tasks.reviews.models", "'planted-nome'")),
        ({"classifiers": {"a": {"path": "a"}}}, (None, "reviews.classifiers.a.positive")),
        ({"classifiers": {"a": {"positive": "b"}}}, (None, "'hub'", "'path'")),
        ({"classifiers": {"a": {"hub": "a/b", "positive": "b"}}}, (None, "'hub'", "'revision'", "40")),
        (
            {"classifiers": {"planted-weak": {"path": "a", "positive": "b"}}},
            ("downstream.tasks.reviews.classifiers", "'planted-weak'"),
        ),
        ({"lable": "label"}, (None, "'downstream.tasks.reviews.lable'", "'label'")),
    ],
)
def test_faults_of_a_task(values, changes, told):
    assert tells(faults(with_task(values, **changes)), *told)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("section", "told"),
    [
        ({"training": {"sets": 0}}, (None, "downstream.training.sets")),
        ({"training": {"seeds": 2}}, (None, "'downstream.training.seeds'", "'downstream.training.sets'")),
        ({"nonsense": "none.txt"}, ("downstream.nonsense",)),
        ({"words": ["none.txt"]}, ("downstream.words.0",)),
        ({"words": []}, ("downstream.words", "1")),
        ({"regions": {"countries": yaml.safe_load("[NO]")}}, ("downstream.regions.countries.0",)),
    ],
)
def test_faults_of_the_section(values, section, told):
    assert tells(faults({**values, "downstream": section}), *told)


def test_models_of_a_task_may_be_of_any_kind(values):
    values["models"] |= {kind: {"path": "x", "kind": kind} for kind in ("causal", "seq2seq")}
    assert config.load(with_task(values, models=["causal", "seq2seq", "planted-none"]))


@pytest.mark.slow
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
