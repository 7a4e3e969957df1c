"""The section of the configuration on mixed models: what a fit depends on."""

import math

from herbarium.statistics.fits import settings
from herbarium.statistics.section import MixedModels


def test_a_fit_does_not_depend_on_how_p_values_are_adjusted():
    assert MixedModels(tests={"correction": "holm"}).fitting == MixedModels(tests={"correction": "fdr_bh"}).fitting
    assert MixedModels(engine="none").fitting == MixedModels().fitting
    assert MixedModels(tests={"alpha": 0.01}).fitting != MixedModels().fitting
    assert MixedModels(bootstrap={"replicates": 7}).fitting != MixedModels().fitting


def test_settings_are_those_of_the_section():
    section = MixedModels(bootstrap={"replicates": 7}, tests={"equivalence_ratio": 2, "power": 0.9})
    chosen = settings(section.fitting, 3)
    assert (chosen.replicates, chosen.level, chosen.weighted, chosen.seed) == (7, 0.95, True, 3)
    assert (chosen.alpha, chosen.power) == (0.05, 0.9)
    assert chosen.equivalence_bound == math.log(2)
