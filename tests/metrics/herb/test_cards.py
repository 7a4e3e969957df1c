import numpy as np
import pandas as pd
from tests.metrics.cards import assert_cards
from tests.metrics.herb import test_crossed, test_space, test_toxic

from herbarium.metrics.herb import ablations, contiguous, crossed, differences, hierarchy, score
from herbarium.metrics.herb import numbers as herb_numbers
from herbarium.metrics.herb.selection import select
from herbarium.metrics.herb.stimuli import DEPARTURES

BOOTSTRAP = {"replicates": 10, "level": 0.9}
QUICK = "fdr_bh"  # for Holm's, statsmodels collects garbage at every call


def written(small):
    """What the metric writes about small studies, those of its own tests."""
    study = {"regions": small.regions, "topics": small.topics}
    both = {
        model: herb_numbers.resample(
            model, **study, likelihoods=small.likelihoods(noise=noise), bootstrap=BOOTSTRAP, seed=1
        )
        for model, noise in (("a", 0.0), ("b", 0.5))
    }
    numbers = [herb_numbers.numbers(resampled, 0.9) for resampled in both.values()]
    replicates = pd.concat([herb_numbers.replicates(resampled) for resampled in both.values()])
    yield from numbers
    yield herb_numbers.intervals(both["a"], 0.9)
    regions, tables = test_crossed.study()
    distances = [crossed.measure(model, regions, test_crossed.TOPICS, tables, 0.9) for model in "ab"]
    yield distances[0].numbers
    yield crossed.conditional("a", regions, test_crossed.TOPICS, next(iter(tables.values())), 0.9)
    nowhere = pd.DataFrame(columns=["x", "y", "z"], dtype=float)
    yield contiguous.measure("a", regions, test_crossed.TOPICS, tables, nowhere, np.random.default_rng(0))
    of_models = (pd.concat([getattr(distance, name) for distance in distances]) for name in ("numbers", "influences"))
    yield differences.of_crossed(*of_models, 0.9, QUICK)
    yield differences.differences(pd.concat(numbers), replicates, small.regions, 0.9, QUICK)
    selected = select(small.regions, small.topics, small.likelihoods())
    tokens = dict.fromkeys(small.regions["name"], 1)
    yield hierarchy.measure("a", selected, tokens, 9, BOOTSTRAP, QUICK, 1)
    wordings = ["paper", "template_other", *DEPARTURES, "released", "name_official", "substitutes", "conditional"]
    yield ablations.ablate(
        "a",
        **study,
        likelihoods={wording: small.likelihoods(seed) for seed, wording in enumerate(wordings)},
        substituted=list(small.topics),
        departures=[*score.DEPARTURES, *DEPARTURES],
        bootstrap=BOOTSTRAP,
        seed=1,
    )
    yield test_space.measure(list("aabb") * 4, test_space.points(16)).reset_index()
    yield test_toxic.measured()


def test_every_number_has_a_card_and_every_card_a_number(small):
    assert_cards("herb", written(small), {"C": ablations.SCORES, "score": score.VARIANTS})
