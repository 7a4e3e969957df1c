"""Against what the authors' code computes on a small model (skipped where the golden values are not)."""

import numpy as np
import pandas as pd

import herbarium


def test_aul_is_f_of_herb_as_published(shared):
    golden = pd.read_csv(shared / "golden/bert_random/aul.csv")
    values = herbarium.score(golden["sentence"], model=shared / "golden/bert_random/model")
    np.testing.assert_allclose(values, golden["aul"], rtol=0, atol=1e-5)


def test_aula(shared):
    golden = pd.read_csv(shared / "golden/bert_random/aul.csv")
    values = herbarium.score(golden["sentence"], model=shared / "golden/bert_random/model", quantity="aula")
    np.testing.assert_allclose(values, golden["aula"], rtol=0, atol=1e-5)


def test_pseudo_perplexity(shared):
    golden = pd.read_csv(shared / "golden/bert_random/traits_released.csv")
    values = herbarium.score(golden["sentence"], model=shared / "golden/bert_random/model", quantity="pppl")
    np.testing.assert_allclose(values, golden["pppl"], rtol=1e-5)


def test_crows_pairs(shared):
    golden = pd.read_csv(shared / "golden/bert_random/crows.csv")
    pairs = pd.read_csv(shared / "data/crows_pairs/crows_pairs_anonymized.csv").loc[
        golden["row"], ["sent_more", "sent_less"]
    ]
    values = herbarium.score(pairs.to_numpy().ravel(), shared / "golden/bert_random/model", "cps")
    # the golden sums are of terms rounded to three decimals each
    np.testing.assert_allclose(values.to_numpy().reshape(-1, 2), golden[["pll_more", "pll_less"]], rtol=0, atol=0.02)
