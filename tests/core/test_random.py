import numpy as np

from herbarium.core.random import stream
from herbarium.statistics.inference import percentile_interval


def test_a_stream_depends_on_its_name_and_the_seed_alone():
    assert stream(1, "bootstrap", "a").random() == stream(1, "bootstrap", "a").random()
    firsts = {stream(*key).random() for key in [(1, "a"), (2, "a"), (1, "b"), (1, "a", "b"), (1, "ab")]}
    assert len(firsts) == 5


def test_percentile_interval_of_a_known_sample():
    low, high = percentile_interval(np.arange(101.0)[:, None] * [1, 2], 0.9)
    np.testing.assert_allclose(low, [5, 10])
    np.testing.assert_allclose(high, [95, 190])
