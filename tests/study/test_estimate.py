"""What a study will cost: the sums, what to leave out, and the words."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from herbarium.core.costs import COSTS
from herbarium.study import config, estimate, targets
from herbarium.training.targets import timed_as


def costs(*rows):
    whole = {"jobs": 1, "sentences": 10, "sampled": 10, "files": 1, "bytes": 5, "device": "a GPU"}
    return pd.DataFrame([{**whole, **row} for row in rows], columns=COSTS.fields.names)


COSTS_OF_TWO = costs(
    {"stimuli": "a", "stage": "stimuli", "device": None},
    {"model": "m", "stimuli": "a", "stage": "score", "hours": 6.0, "longest_job": 2.0, "inputs": 4},
    {"model": "n", "stimuli": "a", "stage": "score", "hours": 1.0, "longest_job": 1.0, "inputs": 3},
    {"model": "m", "stimuli": "b", "stage": "score", "hours": 3.0, "longest_job": 3.0, "inputs": 2, "sampled": 5},
    {"model": "small", "stimuli": "b", "stage": "score", "sampled": 0, "bytes": None, "device": None},
)


@pytest.mark.parametrize("seed", range(20))
def test_the_half_is_made_of_the_fewest_pieces(seed):
    hours = pd.Series(np.random.default_rng(seed).exponential(size=7), list("abcdefg"))
    chosen = estimate.half(hours)
    assert chosen.sum() >= hours.sum() / 2
    assert all(sum(fewer) < hours.sum() / 2 for fewer in combinations(hours, len(chosen) - 1))


def test_the_half_of_one_piece_is_that_piece():
    assert estimate.half(pd.Series({"a": 3.0})).index.tolist() == ["a"]


def test_stages_are_added_up():
    sums = estimate.by_stage(COSTS_OF_TWO)
    assert sums.index.tolist() == ["stimuli", "score"]
    assert sums.loc["score", ["jobs", "sentences", "inputs", "hours", "longest_job"]].tolist() == [4, 40, 9, 10, 3]
    assert np.isnan(sums.loc["stimuli", "hours"])


TRAINING = costs({"model": "o", "stimuli": "c", "stage": "train", "hours": 30.0, "longest_job": 30.0})
EMPTY = {"model": "m", "stimuli": "none", "stage": "score", "sampled": 0}
DESCRIBED = {
    "two models": COSTS_OF_TWO,
    "all sentences were timed": COSTS_OF_TWO.iloc[:3],
    "nothing was timed": COSTS_OF_TWO.iloc[[0, 4]],
    "with a training": pd.concat([COSTS_OF_TWO, TRAINING]),
    "stimuli without a sentence": costs({**EMPTY, "sentences": 0}),
    "sentences that were not timed": costs({**EMPTY, "sentences": 9}),
}


@pytest.mark.parametrize("study", DESCRIBED)
def test_costs_in_words(study, snapshot):
    assert estimate.describe(DESCRIBED[study]) == snapshot


def demo(**models):
    given = yaml.safe_load(Path("config/demo_full.yaml").read_text(encoding="utf-8"))
    return config.load(given | {"models": given["models"] | models})


def test_every_derived_model_tagger_and_biography_task_has_a_cost():
    study = demo()
    costed = targets.of(study).costs.keys()
    derived = {name: model.derived.by.recipe for name, model in study.models.items() if model.derived}
    assert len(derived) == 6
    assert {(name, f"recipes/{recipe}") for name, recipe in derived.items()} <= costed
    assert {(model, "tagging/entities") for model in study.tagging.tasks["entities"].models} <= costed
    assert {(source, f"biographies/{name}") for source, name in study.biographies.measured} <= costed


def test_trainings_that_differ_only_in_their_seed_or_epoch_are_timed_once():
    retrained = yaml.safe_load(Path("config/demo_full.yaml").read_text(encoding="utf-8"))["models"]["retrained"]
    more = {"derived": {**retrained["derived"], "seeds": 3}}
    longer = {"derived": {"from": "planted-strong", "by": {**retrained["derived"]["by"], "epochs": 2}}}
    # from the same origin by the same recipe, whatever was done to it before
    further = {"derived": {"from": "placebo", "by": retrained["derived"]["by"]}}
    like = timed_as(demo(retrained=more, longer=longer, further=further))
    assert like["retrained-seed3"] == like["retrained-seed2"] == like["further"] == like["retrained"]
    assert len({like["retrained"], like["longer"], like["placebo"]}) == 3
    assert like["toxic-strong"] == like["toxic-strong-01"] != like["toxic-none-01"]


def test_a_recipe_without_a_training_costs_none():
    mean = {"derived": {"from": "pronoun-strong", "by": {"recipe": "neutralised", "terms": "gender"}}}
    assert "mean" not in timed_as(demo(mean=mean))
