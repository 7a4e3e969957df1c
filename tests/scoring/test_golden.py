"""Against what the authors' code computes on a small model (skipped where the golden values are not)."""

import numpy as np
import pandas as pd
import pytest

import herbarium
from herbarium.metrics.herb import stimuli


@pytest.mark.slow
def test_aul_is_f_of_herb_as_published(shared):
    golden = pd.read_csv(shared / "golden/bert_random/aul.csv")
    values = herbarium.score(golden["sentence"], model=shared / "golden/bert_random/model")
    np.testing.assert_allclose(values, golden["aul"], rtol=0, atol=1e-5)


@pytest.mark.slow
def test_aula(shared):
    golden = pd.read_csv(shared / "golden/bert_random/aul.csv")
    values = herbarium.score(golden["sentence"], model=shared / "golden/bert_random/model", quantity="aula")
    np.testing.assert_allclose(values, golden["aula"], rtol=0, atol=1e-5)


@pytest.mark.slow
def test_pseudo_perplexity(shared):
    golden = pd.read_csv(shared / "golden/bert_random/traits_released.csv")
    values = herbarium.score(golden["sentence"], model=shared / "golden/bert_random/model", quantity="pppl")
    np.testing.assert_allclose(values, golden["pppl"], rtol=1e-5)


@pytest.mark.slow
def test_crows_pairs(shared):
    golden = pd.read_csv(shared / "golden/bert_random/crows.csv")
    table = pd.read_csv(shared / "data/crows_pairs/crows_pairs_anonymized.csv")
    pairs = table.loc[golden["row"], ["sent_more", "sent_less"]]
    values = herbarium.score(pairs.to_numpy().ravel(), shared / "golden/bert_random/model", "cps")
    # the golden sums are of terms rounded to three decimals each
    np.testing.assert_allclose(values.to_numpy().reshape(-1, 2), golden[["pll_more", "pll_less"]], rtol=0, atol=0.02)


def values(texts, words, quantity, folder):
    """A quantity of slots. words: role -> the slot's word in each text, where it stands once."""
    spans = {
        role: [(text.index(word), text.index(word) + len(word)) for text, word in zip(texts, of_role, strict=True)]
        for role, of_role in words.items()
    }
    return herbarium.score(texts, folder / "model", quantity, spans=spans).to_numpy()


@pytest.mark.slow
def test_categorical_bias(shared):
    folder = shared / "golden/bert_random"
    golden = pd.read_csv(folder / "cb_released.csv")
    assert {2, 5} <= set(golden["target_tokens"])
    assert {2, 6} <= set(golden["attribute_tokens"])

    def filled(attributes):
        return [
            template.replace("[TTT]", target).replace("[AAA]", attribute).replace("[AAAs]", attribute)
            for template, target, attribute in zip(golden["template"], golden["target"], attributes, strict=True)
        ]

    plural = golden["template"].str.contains("AAAs", regex=False)
    shown = golden["attribute"].where(~plural, golden["attribute"].map(pluralized))
    words = {"asked": golden["target"], "condition": shown}
    joint = values(filled(shown), words, "slot_released", folder)
    # the released prior has as many masks as the singular has tokens
    texts = filled(golden["attribute"])
    of_prior = {"asked": golden["target"], "condition": golden["attribute"]}
    prior = values(texts, of_prior, "slot_prior_released", folder)
    np.testing.assert_allclose(joint - prior, golden["log_p_norm"], rtol=0, atol=1e-4)

    # one token each: there the released product over all pairs of tokens and masks is the published one
    agree = (golden["target_tokens"] == 1) & (golden["attribute_tokens"] == 1)
    assert agree.sum() >= 200
    published = values(filled(shown), words, "slot", folder) - values(texts, of_prior, "slot_prior", folder)
    np.testing.assert_allclose(published[agree], golden.loc[agree, "log_p_norm"], rtol=0, atol=1e-5)


def pluralized(word):
    """As the released code's `pattern.pluralize` has these words."""
    return f"{word}es" if word.endswith(("ch", "s")) else f"{word}s"


@pytest.mark.slow
def test_association(shared):
    folder = shared / "golden/bert_random"
    golden = pd.read_csv(folder / "traits_released.csv")
    assert {2, 3} <= set(golden["attribute_tokens"])

    def masked(rows, quantity):
        words = {"asked": rows["attribute"], "condition": rows["trait"]}
        if rows["pronoun"].notna().all():
            words["hidden"] = rows["pronoun"]
        return values(rows["sentence"], words, quantity, folder)

    golden["pronoun"] = golden["sentence"].str.extract(r"( his | her )")[0]
    for _, rows in golden.groupby(golden["pronoun"].isna()):
        released = masked(rows, "slot_released") - masked(rows, "slot_prior_released")
        np.testing.assert_allclose(released, rows["association_released"], rtol=0, atol=1e-4)
        published = masked(rows, "slot") - masked(rows, "slot_prior")
        agree = rows["attribute_tokens"] == 1  # there the product over all pairs of tokens and masks has one factor
        assert agree.sum() >= 10
        np.testing.assert_allclose(published[agree], rows.loc[agree, "association_released"], rtol=0, atol=1e-5)


@pytest.mark.slow
def test_f_of_herb_as_released(shared):
    """Sentences as the released code has them: no full stop, odd spaces, each region's 112 a padded batch."""
    golden = pd.read_csv(shared / "golden/bert_random/herb_released_fS.csv", index_col=0)
    descriptions = [row.partition(":")[2].lower() for row in golden.index]
    sizes = {"intelligence": 25, "appearance": 25, "strength": 23, "morality": 19, "occupation": 20}
    ends = np.cumsum(list(sizes.values()))
    topics = {topic: descriptions[end - n : end] for (topic, n), end in zip(sizes.items(), ends, strict=True)}
    templates = {"published": stimuli.read_template("resources/herb/templates/published.txt")}
    forms = stimuli.read_forms("resources/herb/forms.csv")
    frames = stimuli.wordings(templates, topics, {}, forms, stimuli.DEPARTURES)["released"]
    assert len(frames) == 112
    for name, expected in golden.items():
        sentences = [stimuli.frame_text(frame).replace("[region]", name) for frame in frames]
        values = herbarium.score(sentences, shared / "golden/bert_random/model", quantity="aul_padded")
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-5)
