"""What a study asks for of HERB: every file by name, the sets of its stimuli, and the chains of toxic training."""

import pytest

from herbarium.core.targets import Targets
from herbarium.metrics.herb import stimuli
from herbarium.metrics.herb import targets as of
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
            "toxic": {"derived": {"from": "weak", "by": by(epochs=3)}},
        }
        section = {"descriptions": WORDS, "models": ["real", "weak"]} | (herb or {})
        return config.load({"models": models, "herb": section, "shards": 2, **changes}, [])

    return load


def test_a_study_without_models_asks_for_nothing_but_what_training_needs(study):
    assert of.targets(study({"models": []}, models={"real": {"path": "real", "kind": "masked"}})) == Targets()
    assert of.targets(study({"models": []})) == Targets(shards={"herb": 2})


def test_every_file_by_name(study):
    found = of.targets(study())
    assert found.numbers == [
        *(
            f"<work>/metrics/{kind}/{model}.parquet"
            for kind in ("herb_crossed", "herb", "herb_intervals", "herb_ablations", "herb_hierarchy", "herb_space")
            for model in ("real", "weak")
        ),
        "<work>/metrics/herb_differences.parquet",
        "<work>/metrics/herb_toxic/weak.parquet",
    ]
    assert found.replicates == ["<work>/replicates/herb/real.parquet", "<work>/replicates/herb/weak.parquet"]
    assert found.items == ["<work>/items/herb/real.parquet", "<work>/items/herb/weak.parquet"]
    assert found.validity == ["resources/herb/validity.csv"]
    assert found.published == ["<work>/published/herb.parquet"]
    assert found.calibration == ["<work>/calibration/herb.parquet"]
    assert found.planted == {"weak": ["<work>/testbed/text/herb/weak.parquet"]}
    names = ["continents", "map", "ranking", "heatmap", "words", "space", "toxic"]
    assert found.figures == [f"herb_{name}" for name in names]
    assert found.tables[0] == "<results>/tables/herb_table1.csv"
    assert found.tables[-1] == "<results>/figures/herb_heatmap_countries.csv"
    assert len(set(found.tables)) == 11
    assert found.parts == ["<work>/parts/herb.json"]
    assert found.grouped == {}


def test_without_a_planted_model_nothing_is_calibrated(study):
    found = of.targets(study({"models": ["real"]}))
    assert (found.calibration, found.planted) == ([], {})


def test_profiles_of_continents_are_asked_for_also_without_lme4(study):
    wanted = {(model, "herb"): f"<work>/grouped/{model}/herb.parquet" for model in ("real", "weak")}
    assert of.targets(study({"groups": True}, mixed_models={"engine": "none"})).grouped == wanted
    assert of.targets(study()).grouped == {}


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
    found = of.targets(made)
    assert list(found.shards) == of.sets(made) == sets
    assert set(found.shards.values()) == {2}
    assert found.tuned_by == dict.fromkeys(sets[1:], "herb")
    assert [pair for pair in found.scored if pair[0] == "real"] == [("real", name) for name in sets]
    for name in ("herb", "herb_wordings", "herb_padded"):
        expected = [f"<work>/stimuli/{name}/{shard}.parquet" for shard in (0, 1)] if name in sets else []
        assert of.shards(made, name) == expected


def test_every_frame_is_filled_once_with_the_names_and_the_published_ones_with_other_names(study):
    made = study({"templates": GRAMMATICAL}, regions={"names": {"letters": "ascii"}})
    frames = of.frames(made)

    def texts(name, filled):
        return [stimuli.frame_text(frame) for shard in frames[name][filled] for frame in shard]

    wordings = made.herb.wordings
    padded = of.padded(made)
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
    assert set(of.without_cities(made)) == {*other, "name_letters"}
    frames = of.frames(made)["herb_wordings"]
    texts = {
        filled: {stimuli.frame_text(frame) for shard in shards for frame in shard} for filled, shards in frames.items()
    }
    assert texts["names"] == set()
    wordings = {name: set(map(stimuli.frame_text, of_one)) for name, of_one in made.herb.wordings.items()}
    alone = {"template_grammatical", "no_full_stop", "odd_spaces"} & wordings.keys()
    assert texts["country_names"] == set().union(*(wordings[name] for name in alone)) - wordings["paper"]
    assert of.frames(study(herb | {"countries_only": []}))["herb_wordings"]["country_names"] == [[], []]


def test_models_along_a_training_are_scored_on_the_published_wording_alone(study):
    found = of.targets(study())
    epochs = ["toxic-01", "toxic-02", "toxic"]
    assert [pair for pair in found.scored if pair[0] in epochs] == [(name, "herb") for name in epochs]
    # where cities would take too long, on countries
    made = study({"countries_only": ["toxic"]})
    found = of.targets(made)
    assert of.shards(made, "herb_countries") == [f"<work>/stimuli/herb_countries/{shard}.parquet" for shard in (0, 1)]
    assert of.shards(study(), "herb_countries") == []
    assert [pair for pair in found.scored if pair[0] in epochs] == [(name, "herb_countries") for name in epochs]
    assert (found.shards["herb_countries"], found.tuned_by["herb_countries"]) == (2, "herb")
    # one that is measured as well is scored on everything, once
    found = of.targets(study({"models": ["weak", "toxic"]}))
    assert [pair for pair in found.scored if pair[0] == "toxic"] == [("toxic", name) for name in found.shards]
    assert len(set(found.scored)) == len(found.scored)
    assert "<work>/metrics/herb/toxic.parquet" in found.numbers


def test_each_epoch_goes_on_from_the_one_before(study):
    made = study()
    assert of.trainings(made) == of.measured_trainings(made) == {"weak": ["toxic-01", "toxic-02", "toxic"]}
    assert [of.before(made, name) for name in ("toxic-01", "toxic-02", "toxic")] == ["weak", "toxic-01", "toxic-02"]


def test_a_training_that_begins_with_a_model_that_is_not_measured_is_not_reported(study):
    made = study({"models": ["real"]})
    assert list(of.trainings(made)) == ["weak"]
    found = of.targets(made)
    assert of.measured_trainings(made) == {}
    assert "herb_toxic" not in found.figures
    assert not [path for path in found.numbers if "toxic" in path]
    assert {model for model, _ in found.scored} == {"real"}
