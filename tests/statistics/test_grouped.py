"""The mixed model of groups: what is asked of scores, and what it finds."""

import numpy as np
import pandas as pd
import pytest

from herbarium.core import store
from herbarium.statistics import fits, grouped, lme4

CONTINENTS = {"p0": "AF", "p1": "AF", "p2": "AS"}


def scores(effect=0.0, pairs=12):
    """One row per template, target and pair; two pairs are of Africa, one of Asia, the others of Europe, which has what
    is planted."""
    random = np.random.default_rng(5)
    rows = pd.MultiIndex.from_product(
        [[f"t{i}" for i in range(5)], [f"x{i}" for i in range(6)], [f"p{i}" for i in range(pairs)]],
        names=["template", "target", "pair"],
    ).to_frame(index=False)
    rows["group"] = rows["pair"].map(CONTINENTS).fillna("EU")
    level = rows["target"].map({f"x{i}": random.normal() for i in range(6)})
    level += rows["pair"].map({f"p{i}": random.normal(0, 0.05) for i in range(pairs)})
    rows["association"] = level + random.normal(0, 0.2, len(rows)) + effect * (rows["group"] == "EU")
    return rows.assign(word=rows["pair"], weight=1.0)


def test_groups_are_compared_at_once_and_each_against_the_others():
    data = scores()
    data.loc[0, "association"] = np.nan
    asked = list(grouped.ask(data))
    assert [(keys["contrast"], keys["structure"]) for keys, *_ in asked] == [
        ("each", "intercepts"),
        ("AF-others", "pairs"),
        ("AS-others", "pairs"),
        ("EU-others", "pairs"),
    ]
    assert all(refused == 1 for *_, refused in asked)
    _, against, _ = asked[1]
    assert against.groupby("pair")["group"].first()[["p0", "p1", "p2"]].tolist() == [1, 1, 0]
    of_two = grouped.ask(data[data["group"] != "EU"])  # of two, one contrast says it for both
    assert [keys["contrast"] for keys, *_ in of_two] == ["each", "AF-others"]


def test_scores_that_were_written_are_asked_the_same(tmp_path):
    data = scores()
    data.loc[3, "association"] = np.nan
    store.write_table(tmp_path / "grouped.parquet", grouped.GROUPED, data)
    read = store.read_frame(tmp_path / "grouped.parquet", "grouped")
    for (keys, one, _), (others, other, n_refused) in zip(grouped.ask(data), grouped.ask(read), strict=True):
        assert keys == others
        assert n_refused == 1
        pd.testing.assert_frame_equal(one, other[one.columns], check_dtype=False)


@pytest.mark.parametrize("effect", [0.0, 1.0])
def test_the_mixed_model_finds_the_group_that_differs(effect):
    chosen = fits.Settings(
        weighted=True, equivalence_bound=0.1, level=0.95, alpha=0.05, power=0.8, replicates=20, seed=1
    )
    found, _ = fits.answers("m", "mine", grouped.ask(scores(effect)), lme4.fit, chosen)
    found = found.set_index("contrast")
    assert set(found["data"]) == {"mine"}
    assert found.loc["EU-others", "estimate"] == pytest.approx(effect, abs=0.15)
    assert (found.loc["EU-others", "p_value"] < 1e-4) == (effect > 0)
    assert (found.loc["each", "r2"] > 0.05) == (effect > 0)
    assert np.isnan(found.loc["each", "estimate"])
