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
    table = pd.read_csv(shared / "data/crows_pairs/crows_pairs_anonymized.csv")
    pairs = table.loc[golden["row"], ["sent_more", "sent_less"]]
    values = herbarium.score(pairs.to_numpy().ravel(), shared / "golden/bert_random/model", "cps")
    # the golden sums are of terms rounded to three decimals each
    np.testing.assert_allclose(values.to_numpy().reshape(-1, 2), golden[["pll_more", "pll_less"]], rtol=0, atol=0.02)


def association(texts, asked, condition, model):
    """log p(asked) - log p(asked, condition masked); both words stand once in their text."""
    spans = {
        role: [(text.index(word), text.index(word) + len(word)) for text, word in zip(texts, words, strict=True)]
        for role, words in (("asked", asked), ("condition", condition))
    }
    return herbarium.score(texts, model, "slot", spans=spans) - herbarium.score(texts, model, "slot_prior", spans=spans)


def test_categorical_bias_where_published_and_released_agree(shared):
    # one token each: then the released product over all pairs of tokens and masks is the published one
    golden = pd.read_csv(shared / "golden/bert_random/cb_released.csv")
    golden = golden[(golden["target_tokens"] == 1) & (golden["attribute_tokens"] == 1)]
    golden = golden[~golden["template"].str.contains("AAAs", regex=False)]
    assert len(golden) >= 200
    texts = [
        template.replace("[TTT]", target).replace("[AAA]", attribute)
        for template, target, attribute in golden[["template", "target", "attribute"]].to_numpy()
    ]
    values = association(texts, golden["target"], golden["attribute"], shared / "golden/bert_random/model")
    np.testing.assert_allclose(values, golden["log_p_norm"], rtol=0, atol=1e-5)


def test_association_where_published_and_released_agree(shared):
    golden = pd.read_csv(shared / "golden/bert_random/traits_released.csv")
    golden = golden[(golden["attribute_tokens"] == 1) & ~golden["masked"].str.contains("MASK.*MASK")]
    assert len(golden) == 16
    traits = golden["trait"]
    values = association(golden["sentence"], golden["attribute"], traits, shared / "golden/bert_random/model")
    np.testing.assert_allclose(values, golden["association_released"], rtol=0, atol=1e-5)
