"""HERB along a training: each epoch is HERB as ever, and change and trend are those of the row of epochs."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.stats
from tests.drawing.marks import assert_shows

from herbarium.metrics.herb import numbers as herb_table
from herbarium.metrics.herb import toxic
from herbarium.metrics.herb.figures import toxic as drawing
from herbarium.metrics.herb.likelihoods import with_matrix

TOPICS = {"mind": ["wise", "shrewd", "kind"], "body": ["tall", "weak", "bald"]}
TREE = {"earth": None, **{f"continent:{c}": "earth" for c in "ABCD"}}
TREE |= {f"country:{c}{i}": f"continent:{c}" for c in "ABC" for i in range(3)}
REGIONS = pd.DataFrame(
    [
        {"region": region, "parent": parent, "level": region.split(":")[0], "name": region.split(":")[-1]}
        for region, parent in {**TREE, "country:D0": "continent:D"}.items()
    ]
)
SHOWN = ["earth", *(f"continent:{c}" for c in "ABCD")]
WORDS = [word for words in TOPICS.values() for word in words]
BOOTSTRAP = {"replicates": 15, "level": 0.9}
MODELS = [{"name": "m", "planted": None}]


def likelihoods(spread):
    """The same leans in every epoch, so many times as far apart."""
    names = REGIONS["region"].tolist()[1:]
    f = -5 + spread * np.random.default_rng(1).normal(size=(len(names), len(WORDS)))
    table = pa.table({"region": names, "f": f[:, 0], "f_name": f[:, 0], "note": pa.nulls(len(names), pa.string())})
    return with_matrix(table, f)


EPOCHS = [likelihoods(spread) for spread in (0.1, 0.3, 0.2, 0.4)]


def measured(epochs=EPOCHS, **bootstrap):
    return toxic.measure("m", REGIONS, TOPICS, iter(epochs), BOOTSTRAP | bootstrap, seed=3)


@pytest.fixture(scope="module")
def numbers():
    return measured()


def variant_rows(numbers, variant):
    return numbers[numbers["variant"] == variant].set_index("group").loc[SHOWN]


@pytest.mark.parametrize("variant", toxic.VARIANTS)
@pytest.mark.parametrize("epoch", range(4))
def test_each_epoch_is_herb_of_its_scores_drawn_as_ever(numbers, variant, epoch):
    alone = variant_rows(
        herb_table.numbers(herb_table.resample("m", REGIONS, TOPICS, EPOCHS[epoch], BOOTSTRAP, 3), BOOTSTRAP["level"]),
        variant,
    )
    result = variant_rows(numbers, toxic.at_epoch(variant, epoch))
    columns = ["unit", "estimate", "std_error", "ci_low", "ci_high", "n"]
    pd.testing.assert_frame_equal(result[columns], alone[columns], check_dtype=False, rtol=1e-6)


def test_change_and_trend_are_those_of_the_estimates(numbers):
    values = np.array([variant_rows(numbers, toxic.at_epoch("C_w", epoch))["estimate"] for epoch in range(4)])
    np.testing.assert_allclose(variant_rows(numbers, "C_w_change")["estimate"], values[3] - values[0])
    # 0.1 0.3 0.2 0.4: of six pairs one falls
    assert variant_rows(numbers, "C_w_kendall_tau")["estimate"]["earth"] == pytest.approx(4 / 6)
    for region, row in zip(SHOWN[:4], values.T, strict=False):
        tau = scipy.stats.kendalltau([0, 1, 2, 3], row).statistic
        assert variant_rows(numbers, "C_w_kendall_tau")["estimate"][region] == pytest.approx(tau)
    assert set(variant_rows(numbers, "C_w_kendall_tau")["n"]) == {4}
    assert variant_rows(numbers, "C_w_change")["n"].tolist() == [4, 3, 3, 3, 1]


def test_the_intervals_of_the_change_are_of_the_same_descriptions(numbers):
    # drawn apart, the errors of first and last epoch would add up
    first, last = (variant_rows(numbers, toxic.at_epoch("C_w", epoch)) for epoch in (0, 3))
    unchanged = variant_rows(measured([EPOCHS[0], EPOCHS[1], EPOCHS[0]]), "C_w_change")
    assert (first["std_error"][:4] > 0).all()
    assert (last["std_error"][:4] > 0).all()
    assert unchanged["estimate"].eq(0).all()
    is_lone = unchanged.index == "continent:D"  # one country: nothing is compared
    assert unchanged.loc[~is_lone, ["std_error", "ci_low", "ci_high"]].eq(0).all(axis=None)
    assert unchanged.loc[is_lone, ["std_error", "ci_low", "ci_high"]].isna().all(axis=None)


def test_a_score_that_never_changes_has_no_trend_and_says_so(numbers):
    lone = variant_rows(numbers, "C_w_kendall_tau").loc["continent:D"]  # one country has no pair
    assert np.isnan(lone["estimate"])
    assert lone["note"] == "no rank correlation: the score is the same after every epoch"
    assert variant_rows(numbers, "C_w_change").loc["continent:D", "estimate"] == 0
    others = numbers[numbers["estimate"].notna() & numbers["group"].ne("continent:D")]
    assert others["note"].isna().all()
    assert "one sub-region" in variant_rows(numbers, "C_w_change").loc["continent:D", "note"]


def test_without_replicates_there_are_no_intervals():
    assert measured(replicates=0)[["std_error", "ci_low", "ci_high"]].isna().all(axis=None)


def test_names_of_epochs_come_back():
    names = pd.Series([toxic.at_epoch("C_w", 3), toxic.at_epoch("C_w_size_free", 120), "C_w_change", None])
    assert toxic.epochs_of(names, "C_w").tolist() == [3, pd.NA, pd.NA, pd.NA]
    assert toxic.epochs_of(names, "C_w_size_free").tolist() == [pd.NA, 120, pd.NA, pd.NA]


def test_the_figure_draws_every_epoch_of_every_region_of_every_model(numbers):
    both = pd.concat([numbers, numbers.assign(model="other", estimate=2 * numbers["estimate"])])
    table = drawing.table(both, REGIONS, [*MODELS, {"name": "other", "planted": 0.5}])
    assert table["model"].unique().tolist() == ["other", "m"]
    assert len(table) == 2 * len(SHOWN) * len(EPOCHS)
    panels = drawing.panels(table)
    assert [len(panel["data"]) for panel in panels] == [1, 4, 1, 4]
    assert_shows(panels, table, "estimate", "y", scale=1e3)
    for panel, factor in ((panels[0], 2), (panels[2], 1)):
        (line,) = panel["data"]
        expected = [variant_rows(numbers, toxic.at_epoch("C_w_size_free", e))["estimate"]["earth"] for e in range(4)]
        assert line["x"] == [0, 1, 2, 3]
        np.testing.assert_allclose(line["y"], factor * 1e3 * np.array(expected), rtol=1e-5)
    words = drawing.describe(table)
    assert "m: earth from " in words
    assert "higher than before in 3 of 4 regions below it" in words


def test_a_model_or_region_without_numbers_is_said_to_have_none(numbers):
    without = numbers[numbers["group"] != "continent:A"]
    table = drawing.table(without, REGIONS, [*MODELS, {"name": "lost", "planted": None}])
    assert table["estimate"].isna().sum() == 1 + len(SHOWN)
    assert [len(panel["data"]) for panel in drawing.panels(table)] == [1, 3]
    assert "lost: no value." in drawing.describe(table)
    assert "in 2 of 3 regions" in drawing.describe(table)
