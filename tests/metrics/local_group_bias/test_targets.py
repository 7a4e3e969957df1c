"""Which files a configuration asks for of local group bias."""

from tests.metrics.downstream.test_section import TASK

from herbarium.metrics.local_group_bias import targets as local
from herbarium.study import config

THEIRS = {"theirs": {"path": "theirs", "positive": "POS"}}
PAIRS = {"pairs": [["country:DE", "country:NG"]]}


def study(values, section=PAIRS, sets=2, **task):
    tasks = {"reviews": {**TASK, "classifiers": THEIRS, **task}}
    downstream = {"tasks": tasks, "training": {"sets": sets}}
    return config.load({**values, "downstream": downstream, "local_group_bias": section})


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
    assert local.compared(config.load({**values, "downstream": downstream, "local_group_bias": PAIRS})) == [
        ("plain", "planted-none"),
        ("grouped", "planted-none"),
    ]


def test_nothing_without_groups_or_tasks(values):
    for given in (study(values, {}), study(values, models=[], classifiers={})):
        asked = local.targets(given)
        assert asked == type(asked)()


def test_what_is_looked_at_is_the_first_classifier(values):
    given = study(values)
    assert local.run(given, "reviews", "planted-none") == "set-1"
    assert local.run(given, "reviews", "theirs") == "published"


def test_there_are_sets_where_a_model_is_trained_several_times(values):
    assert local.has_sets(study(values))
    assert not local.has_sets(study(values, sets=1))
    assert not local.has_sets(study(values, models=[]))
