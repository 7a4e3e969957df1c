"""Which files a configuration asks for of tasks."""

import pytest
from tests.metrics.downstream.test_section import HUB, OWN_SPLITS, PLANTED, TASK

from herbarium.metrics.downstream import targets as downstream
from herbarium.study import config

COMMIT = "e" * 40


def study(values, **tasks):
    """Of tasks that are like `TASK` but for some keys."""
    return config.load({**values, "downstream": {"tasks": {name: {**TASK, **entry} for name, entry in tasks.items()}}})


def planted(strength=2.0, models=("planted-none",)):
    return {**PLANTED, "data": {"planted": strength}, "models": list(models)}


@pytest.fixture
def two(values):
    """One task with a published classifier, and one with planted texts."""
    theirs = {"theirs": {"path": "theirs", "positive": "POS"}}
    reviews = {**TASK, "classifiers": theirs}
    tasks = {"reviews": reviews, "talk": planted(models=["planted-strong", "planted-none"])}
    return config.load({**values, "downstream": {"tasks": tasks, "training": {"sets": 2}}})


def test_nothing_where_nothing_is_measured(values):
    asked = downstream.targets(config.load({**values, "downstream": {"tasks": {"reviews": {**TASK, "models": []}}}}))
    assert asked == type(asked)()


@pytest.mark.slow
def test_planted_texts_are_calibrated_and_drawn(values, two):
    asked = downstream.targets(two)
    assert asked.figures == ["downstream_map", "downstream_ranking", "downstream_planted"]
    assert asked.calibration == ["<work>/calibration/downstream.parquet"]
    asked = downstream.targets(study(values, reviews={}))
    assert asked.figures == ["downstream_map", "downstream_ranking"]
    assert asked.calibration == []


def test_what_is_fetched_is_named_by_its_key_and_the_job_that_reads_it(values):
    classifier = {"hub": "lvwerra/imdb", "revision": COMMIT, "positive": "LABEL_1"}
    mine = {"path": "mine", "positive": "POS"}
    given = study(
        values, imdb={"data": HUB, "split": OWN_SPLITS, "classifiers": {"theirs": classifier, "mine": mine}}, reviews={}
    )
    data, theirs = downstream.targets(given).sources
    assert (data.key, data.is_data, data.rule) == ("downstream.tasks.imdb.data", True, "read_downstream")
    assert (data.entry["hub"], data.entry["git"], data.wildcards) == ("stanfordnlp/imdb", None, {"task": "imdb"})
    assert (theirs.key, theirs.is_data) == ("downstream.tasks.imdb.classifiers.theirs", False)
    assert (theirs.rule, theirs.wildcards) == ("resolve_downstream", {"task": "imdb", "model": "theirs"})
    assert theirs.entry == {**classifier, "path": None}


@pytest.mark.slow
def test_texts_are_read_made_or_fetched(values, two):
    assert downstream.texts(two, "reviews") == {"table": "reviews.csv.gz"}
    made = downstream.texts(two, "talk")
    assert made["regions"] == f"{two.work}/regions.parquet"
    assert made["nonsense"] == "resources/regions/made_up_names.txt"
    assert [path.split("/")[-1] for path in made["words"]] == [
        *("occupation.txt", "intelligence.txt", "appearance.txt", "strength.txt", "morality.txt")
    ]
    assert downstream.texts(study(values, imdb={"data": HUB, "split": OWN_SPLITS}), "imdb") == {}


def test_a_run_is_a_seed_or_what_is_published(values, two):
    assert downstream.records(two.downstream)[:3] == [
        "<work>/downstream/reviews/planted-none/set-1/classifier.json",
        "<work>/downstream/reviews/planted-none/set-2/classifier.json",
        "<work>/downstream/reviews/theirs/published/classifier.json",
    ]
    folder = f"{two.work}/downstream/reviews/planted-none"
    sharded = two.model_copy(update={"shards": 2})
    assert downstream.all_predictions(sharded, "reviews", "planted-none") == [
        f"{folder}/set-{number}/predictions-{shard}.parquet" for number in (1, 2) for shard in (0, 1)
    ]
    assert downstream.predictions(sharded, "reviews", "theirs", "published") == [
        f"{two.work}/downstream/reviews/theirs/published/predictions-{shard}.parquet" for shard in (0, 1)
    ]
    weights = downstream.weights(two, "reviews", "planted-none", "set-2")
    assert f"{folder}/set-2/classifier/model.safetensors" in weights
    assert downstream.weights(two, "reviews", "theirs", "published") == []


def test_files_of_a_published_classifier_that_lies_here(two, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "theirs").mkdir()
    for name in ("model.safetensors", "config.json", ".hidden"):
        (tmp_path / "theirs" / name).touch()
    assert downstream.published_weights(two.downstream, "reviews", "theirs") == [
        "theirs/config.json",
        "theirs/model.safetensors",
    ]
