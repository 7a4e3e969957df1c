"""What a study asks for of HERB: every file by name, the sets of its stimuli, and the chains of toxic training."""

import pytest

from herbarium.core.targets import Targets
from herbarium.metrics.herb import stimuli
from herbarium.metrics.herb import targets as herb_targets
from herbarium.study import config

WORDS = {"strength": "resources/herb/descriptions/strength.txt"}
GRAMMATICAL = {
    "published": "resources/herb/templates/published.txt",
    "grammatical": "resources/herb/templates/grammatical.txt",
}
UNPADDED = {"pad_mean": False, "no_full_stop": False, "odd_spaces": False}


def by(**settings):
    return {"recipe": "toxic", **settings}


@pytest.fixture
def study():
    """Three models, one of a planted bias and one trained from it for three epochs. herb: its section."""

    def load(herb=None, **changes):
        models = {
            "real": {"path": "real", "kind": "masked"},
            "weak": {"planted": 1.0, "kind": "masked"},
            "next": {"path": "next", "kind": "causal"},
            "toxic": {"derived": {"from": "weak", "by": by(epochs=3)}},
        }
        section = {"descriptions": WORDS, "models": ["real", "weak"]} | (herb or {})
        return config.load({"models": models, "herb": section, "shards": 2, **changes}, [])

    return load


def test_a_study_without_models_asks_for_nothing_but_what_training_needs(study):
    assert herb_targets.targets(study({"models": []})) == Targets(shards={"herb": 2})


def test_without_a_planted_model_nothing_is_calibrated(study):
    metric_targets = herb_targets.targets(study({"models": ["real"]}))
    assert (metric_targets.calibration, metric_targets.planted) == ([], {})


def test_profiles_of_continents_are_asked_for_also_without_lme4(study):
    wanted = {(model, "herb"): f"<work>/grouped/{model}/herb.parquet" for model in ("real", "weak")}
    assert herb_targets.targets(study({"groups": True}, mixed_models={"engine": "none"})).grouped == wanted
    assert herb_targets.targets(study()).grouped == {}


@pytest.mark.parametrize(
    ("herb", "regions", "sets"),
    [
        ({}, {}, ["herb", "herb_wordings", "herb_padded"]),
        ({"released": UNPADDED}, {}, ["herb"]),
        ({"released": {**UNPADDED, "no_full_stop": True}}, {}, ["herb", "herb_wordings"]),
        ({"released": UNPADDED, "templates": GRAMMATICAL}, {}, ["herb", "herb_wordings"]),
        ({"released": UNPADDED}, {"names": {"letters": "ascii"}}, ["herb", "herb_wordings"]),
        ({"released": {**UNPADDED, "pad_mean": True}}, {}, ["herb", "herb_padded"]),
    ],
)
def test_only_sets_that_hold_sentences_are_asked_for(study, herb, regions, sets):
    made = study(herb, regions=regions)
    metric_targets = herb_targets.targets(made)
    assert list(metric_targets.shards) == herb_targets.sets(made) == sets
    assert set(metric_targets.shards.values()) == {2}
    assert metric_targets.tuned_by == dict.fromkeys(sets[1:], "herb")
    assert [pair for pair in metric_targets.scored if pair[0] == "real"] == [("real", name) for name in sets]
    for name in ("herb", "herb_wordings", "herb_padded"):
        expected = [f"<work>/stimuli/{name}/{shard}.parquet" for shard in (0, 1)] if name in sets else []
        assert herb_targets.shards(made, name) == expected


def test_every_frame_is_filled_once_with_the_names_and_the_published_ones_with_other_names(study):
    made = study({"templates": GRAMMATICAL}, regions={"names": {"letters": "ascii"}})
    frames = herb_targets.frames(made)

    def texts(name, filled):
        return [stimuli.frame_text(frame) for shard in frames[name][filled] for frame in shard]

    wordings = made.herb.wordings
    padded = herb_targets.padded(made)
    assert set(padded) == {"pad_mean", "released"}
    published = {"[region]", *map(stimuli.frame_text, wordings["paper"])}
    everything = {
        stimuli.frame_text(frame) for name, of_one in wordings.items() if name not in padded for frame in of_one
    }
    assert set(texts("herb", "names")) == set(texts("herb_wordings", "other_names")) == published
    assert set(texts("herb_wordings", "names")) == everything - published
    assert texts("herb", "other_names") == []
    for name in frames:
        assert len(texts(name, "names")) == len(set(texts(name, "names")))
    assert [len(frames["herb"]["names"]), len(frames["herb_wordings"]["names"])] == [2, 2]


def test_frames_without_cities_are_those_of_no_wording_that_has_them(study):
    herb = {"templates": GRAMMATICAL, "countries_only": ["templates", "departures", "names"]}
    made = study(herb, regions={"names": {"letters": "ascii"}})
    other = made.herb.wordings.keys() - {"paper", "released", "substitutes"}
    assert set(herb_targets.without_cities(made)) == {*other, "name_letters"}
    frames = herb_targets.frames(made)["herb_wordings"]
    texts = {
        filled: {stimuli.frame_text(frame) for shard in shards for frame in shard} for filled, shards in frames.items()
    }
    assert texts["names"] == set()
    wordings = {name: set(map(stimuli.frame_text, of_one)) for name, of_one in made.herb.wordings.items()}
    alone = {"template_grammatical", "no_full_stop", "odd_spaces"} & wordings.keys()
    assert texts["country_names"] == set().union(*(wordings[name] for name in alone)) - wordings["paper"]
    assert herb_targets.frames(study(herb | {"countries_only": []}))["herb_wordings"]["country_names"] == [[], []]


def test_models_along_a_training_are_scored_on_the_published_wording_alone(study):
    metric_targets = herb_targets.targets(study())
    epochs = ["toxic-01", "toxic-02", "toxic"]
    assert [pair for pair in metric_targets.scored if pair[0] in epochs] == [(name, "herb") for name in epochs]
    # where cities would take too long, on countries
    made = study({"countries_only": ["toxic"]})
    metric_targets = herb_targets.targets(made)
    assert herb_targets.shards(made, "herb_countries") == [
        f"<work>/stimuli/herb_countries/{shard}.parquet" for shard in (0, 1)
    ]
    assert herb_targets.shards(study(), "herb_countries") == []
    assert [pair for pair in metric_targets.scored if pair[0] in epochs] == [
        (name, "herb_countries") for name in epochs
    ]
    assert (metric_targets.shards["herb_countries"], metric_targets.tuned_by["herb_countries"]) == (2, "herb")
    # one that is measured as well is scored on everything, once
    metric_targets = herb_targets.targets(study({"models": ["weak", "toxic"]}))
    assert [pair for pair in metric_targets.scored if pair[0] == "toxic"] == [
        ("toxic", name) for name in metric_targets.shards
    ]
    assert len(set(metric_targets.scored)) == len(metric_targets.scored)
    assert "<work>/metrics/herb/toxic.parquet" in metric_targets.numbers


def test_each_epoch_goes_on_from_the_one_before(study):
    made = study()
    assert (
        herb_targets.trainings(made)
        == herb_targets.measured_trainings(made)
        == {"weak": ["toxic-01", "toxic-02", "toxic"]}
    )
    assert [herb_targets.before(made, name) for name in ("toxic-01", "toxic-02", "toxic")] == [
        "weak",
        "toxic-01",
        "toxic-02",
    ]


def test_a_training_that_begins_with_a_model_that_is_not_measured_is_not_reported(study):
    made = study({"models": ["real"]})
    assert list(herb_targets.trainings(made)) == ["weak"]
    metric_targets = herb_targets.targets(made)
    assert herb_targets.measured_trainings(made) == {}
    assert "herb_toxic" not in metric_targets.figures
    assert not [path for path in metric_targets.numbers if "toxic" in path]
    assert {model for model, _ in metric_targets.scored} == {"real"}


def test_a_causal_model_is_not_padded(study):
    pairs = herb_targets.scored(study({"models": ["real", "next"]}))
    assert pairs == [
        *(("real", name) for name in ("herb", "herb_wordings", "herb_padded")),
        *(("next", name) for name in ("herb", "herb_wordings")),
    ]
