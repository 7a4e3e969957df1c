"""The permutation null: what is exchanged, and what stays."""

import numpy as np

from herbarium.metrics.local_group_bias import null


def test_matched_permutations_exchange_within_pairs_only():
    group = np.array([0, 0, 0, 1, 1, 1])
    pair = np.array([2, 7, 5, 5, 2, 7])
    correct = np.array([1, 0, 1, 0, 1, 1])
    drawn = null.matched(group, correct, pair, 400, np.random.default_rng(0))
    assert (drawn >> 1 == group).all()
    right = drawn & 1
    assert (right[:, [0, 4]] == 1).all()  # pair 2: both right
    assert (right[:, 1] + right[:, 5] == 1).all()
    assert (right[:, 2] + right[:, 3] == 1).all()
    patterns, times = np.unique(right[:, [1, 2]], axis=0, return_counts=True)
    assert len(patterns) == 4
    assert (times > 70).all()


def test_free_permutations_keep_sizes_and_outcomes():
    group, correct = np.arange(10) % 3 == 0, np.arange(10) % 2
    drawn = null.free(group, correct, 50, np.random.default_rng(0))
    assert (drawn & 1 == correct).all()
    assert ((drawn >> 1).sum(axis=1) == group.sum()).all()
    assert len(np.unique(drawn, axis=0)) > 40
    assert null.p_value(0.5, np.array([0.1, 0.5, 0.6, np.nan])) == 3 / 5
    assert np.isnan(null.p_value(np.nan, np.array([0.1])))


def test_permutations_within_strata_stay_there():
    random = np.random.default_rng(0)
    group, stratum, correct = random.integers(2, size=40), random.integers(4, size=40), np.arange(40) % 2
    drawn = null.within(group, correct, stratum, 200, random)
    assert (drawn & 1 == correct).all()
    for one in range(4):
        of_stratum = (drawn >> 1)[:, stratum == one]
        assert (of_stratum.sum(axis=1) == group[stratum == one].sum()).all()
        # each text as often in group 1 as any other
        share = group[stratum == one].mean()
        assert (abs(of_stratum.mean(axis=0) - share) < 0.15).all()
    alone = null.within(group, correct, np.arange(40), 5, random)
    assert (alone >> 1 == group).all()
