"""What is expected of planted vectors is what is found in many of them."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.word_associations.toy import ENTRY, of_source, row

from herbarium.metrics.word_associations import calibration, stimuli

LISTS = stimuli.read(ENTRY)
STRENGTHS = {"none": 0.0, "strong": 2.0}


@pytest.fixture(scope="module")
def rows():
    tidy = pd.concat([of_source(name, strength)[0] for name, strength in STRENGTHS.items()])
    return calibration.rows(tidy, STRENGTHS, LISTS, seed=1)


def test_expected_rises_from_zero(rows):
    subset = rows.pivot(index=["panel", "series"], columns="planted", values="expected")
    assert (subset[0.0].abs() < 0.15).all()
    assert (subset[2.0] > subset[0.0] + 0.2).all()
    assert set(rows["panel"]) == {"word_lean", "word_women", "weat"}


def test_ours_are_near_what_is_expected(rows):
    strong = rows[rows["planted"] == 2.0]
    assert (strong["expected"].between(strong["ci_low"] - 0.1, strong["ci_high"] + 0.1)).all()


def test_the_lean_can_be_worked_out():
    """Both words of a pair lean by `strength`, apart by 2 s / √d; he and she by 16 / √d; each difference has the spread
    √(2 (1 + .2²)) besides: cos = cos of (he - she, g) times that of (pair, g)."""
    expected = calibration.expected(LISTS, 2.0, seed=0)["stereotype_lean", "own, he-she"]
    noise = 2 * (1 + 0.2**2)
    random = np.random.default_rng(0)
    apart = random.normal(size=(200_000,)) * np.sqrt(noise / 64)
    of_he, of_pair = 16 / 8, 4 / 8
    by_he, by_pair = (
        np.mean((size + apart) / np.sqrt((size + apart) ** 2 + noise * 63 / 64)) for size in (of_he, of_pair)
    )
    assert expected == pytest.approx(by_he * by_pair, abs=0.015)


def test_it_is_of_the_same_number(rows):
    tidy, _ = of_source("strong", 2.0)
    chosen = rows[(rows["panel"] == "weat") & (rows["model"] == "strong")].iloc[0]
    assert chosen["estimate"] == row(tidy, "weat", "family", "men–women, career–family")["estimate"]
    women = rows[(rows["panel"] == "word_women") & (rows["model"] == "strong")].iloc[0]
    number_row = row(tidy, "projection_women", women["series"], "all")
    assert (women["estimate"], women["ci_low"]) == (-number_row["estimate"], -number_row["ci_high"])
