"""Which files a configuration asks for of local group bias."""

import pytest
from tests.metrics.downstream.test_section import TASK
from tests.refusals import tells
from tests.study.configurations import faults

from herbarium.metrics.local_group_bias import targets as local
from herbarium.metrics.local_group_bias.section import LocalGroupBias
from herbarium.study import config

THEIRS = {"theirs": {"path": "theirs", "positive": "POS"}}
PAIRS = {"pairs": [["country:DE", "country:NG"]]}


def study(values, section=PAIRS, sets=2, **task):
    tasks = {"reviews": {**TASK, "classifiers": THEIRS, **task}}
    downstream = {"tasks": tasks, "training": {"sets": sets}}
    return config.load({**values, "downstream": downstream, "local_group_bias": section})


@pytest.mark.slow
def test_groups_of_columns_are_compared_in_the_tasks_that_name_them(values):
    race = {"race": {"columns": ["Black", "White"]}}
    models = ("planted-none", "theirs")
    planned = [f"<work>/metrics/local_group_bias/reviews/{model}.parquet" for model in models]
    for section in (PAIRS, {"continents": ["continent:AF"]}):
        assert local.targets(study(values, section)).numbers == planned
    given = study(values, {}, groups={"age": {"column": "age", "values": ["old", "young"]}})
    assert len(local.targets(given).numbers) == 2
    assert local.targets(given).published == []
    assert local.targets(study(values, {}, groups=race)).published == ["<work>/published/local_group_bias.parquet"]
    downstream = {"tasks": {"plain": TASK, "grouped": {**TASK, "groups": race}}}
    both = config.load({**values, "downstream": downstream})
    assert local.compared(both) == [("grouped", "planted-none")]
    assert set(local.original_data(both)) == {"grouped"}
    of_pairs = config.load({**values, "downstream": downstream, "local_group_bias": PAIRS})
    assert local.compared(of_pairs) == [("plain", "planted-none"), ("grouped", "planted-none")]


@pytest.mark.slow
def test_nothing_without_groups_or_tasks(values):
    for given in (study(values, {}), study(values, models=[], classifiers={})):
        asked = local.targets(given)
        assert asked == type(asked)()


@pytest.mark.slow
def test_what_is_looked_at_is_the_first_classifier_of_a_model_that_is_trained_several_times(values):
    given = study(values)
    assert local.run(given, "reviews", "planted-none") == "set-1"
    assert local.run(given, "reviews", "theirs") == "published"
    assert local.has_sets(given)
    assert not local.has_sets(study(values, sets=1))
    assert not local.has_sets(study(values, models=[]))


@pytest.mark.parametrize("pair", [["country:IE"], ["country:IE", "country:IE"]])
def test_a_pair_is_of_two_regions(values, pair):
    assert tells(faults({**values, "local_group_bias": {"pairs": [pair]}}), "local_group_bias", "pairs", pair)


def test_comparisons_are_a_family():
    section = LocalGroupBias(pairs=[["country:IE", "country:SY"]], continents=["continent:AF"])
    (family,) = section.families()
    assert (family.n, family.correction) == (2, "holm")
    assert list(LocalGroupBias().families()) == []
