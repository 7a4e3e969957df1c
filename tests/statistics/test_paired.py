"""Differences on the same resamples."""

import numpy as np
import pandas as pd

from herbarium.statistics import paired


def test_a_side_that_lacks_a_replicate_has_no_test():
    """The other difference has its own, and is alone in its family."""
    sides = {name: (name, "all") for name in "abc"}
    replicates = pd.DataFrame(
        np.random.default_rng(0).normal(size=(40, 3)), columns=pd.MultiIndex.from_tuples(sides.values())
    )
    replicates.iloc[3, 2] = np.nan
    scores = pd.DataFrame({"estimate": [3.0, 1.0, 2.0], "n": 9}, index=replicates.columns)
    pairs = [("a − b", "all", sides["a"], sides["b"]), ("a − c", "all", sides["a"], sides["c"])]
    whole, lacking = paired.family(pairs, scores, replicates, 0.9, "holm", "no interval", None).to_dict("records")
    assert lacking["note"] == "no interval"
    assert np.isnan([lacking[name] for name in ("std_error", "ci_low", "p_value", "p_adjusted")]).all()
    assert lacking["estimate"] == 1.0
    assert whole["p_adjusted"] == whole["p_value"] > 0
