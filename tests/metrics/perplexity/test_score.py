"""Pseudo-perplexity by hand, and its change from one model to another."""

import numpy as np
import pandas as pd
import pytest

from herbarium.metrics.perplexity import score, stimuli

COMPARED = [("base", "x", "base", "x")]


def scores(*texts):
    """Texts as (sum of log-probabilities, tokens); None: refused."""
    rows = [{"sentence_id": n, "value": value, "n_tokens": tokens} for n, (value, tokens) in enumerate(texts)]
    return pd.DataFrame(rows).assign(note=None)


TEXTS = scores((-10.0, 4), (-6.0, 2), (-8.0, 6))


def test_it_is_the_geometric_mean_of_what_tokens_are_worth():
    rows = score.measure("m", "held", TEXTS, 0.95).set_index("variant")
    assert rows.loc["log_perplexity", "estimate"] == 24 / 12
    assert rows.loc["perplexity", "estimate"] == pytest.approx(np.exp(2))
    residuals = np.array([-10 + 2 * 4, -6 + 2 * 2, -8 + 2 * 6]) / (1 - np.array([4, 2, 6]) / 12)
    error = np.sqrt(3 / 2 * (residuals**2).sum()) / 12
    assert rows.loc["log_perplexity", "std_error"] == pytest.approx(error)
    assert rows.loc["perplexity", "std_error"] == pytest.approx(np.exp(2) * error)  # the delta method
    bounds = rows[["ci_low", "ci_high"]]
    assert np.log(bounds.loc["perplexity"]).tolist() == pytest.approx(bounds.loc["log_perplexity"].tolist())
    assert rows["n"].tolist() == [3, 3]


def test_a_refused_text_is_left_out_and_said():
    rows = score.measure("m", "held", scores((-10.0, 4), (-6.0, 2), (None, 0)), 0.95)
    assert rows["note"].eq("1 of 3 texts were refused").all()
    assert rows["n"].eq(2).all()
    alone = score.measure("m", "held", scores((-10.0, 4), (None, 0)), 0.95)
    assert alone["estimate"].isna().all()
    assert alone["note"].iloc[0] == "1 of 2 texts were refused; not measured: fewer than 2 texts"


def test_what_was_noted_of_a_text_that_is_scored_is_noted_of_the_corpus():
    noted = TEXTS.assign(note=[None, "it has the invisible character U+200B", None])
    rows = score.measure("m", "held", noted, 0.95)
    assert rows["note"].str.contains("1 of 3 texts").all()
    assert rows["note"].str.contains("U+200B", regex=False).all()
    without = score.measure("m", "held", TEXTS, 0.95)
    pd.testing.assert_frame_equal(rows.drop(columns="note"), without.drop(columns="note"))


def test_a_change_is_paired_by_text():
    after = TEXTS.assign(value=TEXTS["value"] - 0.5 * TEXTS["n_tokens"])
    row = score.changes(COMPARED, "held", {"base": TEXTS, "x": after}, 0.95, 1.1).iloc[0]
    assert (row["estimate"], row["std_error"]) == (pytest.approx(0.5), pytest.approx(0, abs=1e-12))
    assert (row["value_before"], row["value_after"]) == (2.0, 2.5)
    assert (row["kind"], row["worst"]) == ("cost", pytest.approx(np.log(1.1)))
    assert pd.isna(row["null"])


def test_a_text_that_one_model_refused_counts_for_neither_and_other_tokens_are_not_compared():
    lacking, other = TEXTS.assign(value=[-20.0, np.nan, -8.0]), TEXTS.assign(n_tokens=TEXTS["n_tokens"] + 1)
    row = score.changes(COMPARED, "held", {"base": TEXTS, "x": lacking}, 0.95, 1.1).iloc[0]
    assert (row["n"], row["value_before"], row["value_after"]) == (2, 18 / 10, 28 / 10)
    row = score.changes(COMPARED, "held", {"base": TEXTS, "x": other}, 0.95, 1.1).iloc[0]
    assert pd.isna(row["estimate"])
    assert row["note"] == "not compared: the models split texts into different tokens"


def test_one_text_with_other_tokens_is_enough_not_to_compare():
    other = TEXTS.assign(n_tokens=[4, 2, 7])
    row = score.changes(COMPARED, "held", {"base": TEXTS, "x": other}, 0.95, 1.1).iloc[0]
    assert pd.isna(row["estimate"])
    assert row["note"] == "not compared: the models split texts into different tokens"


def test_every_comparison_is_of_its_own_models():
    by_model = {
        "base": TEXTS,
        "x": TEXTS.assign(value=TEXTS["value"] - 0.5 * TEXTS["n_tokens"]),
        "y": TEXTS.assign(value=TEXTS["value"] + 0.25 * TEXTS["n_tokens"]),
    }
    compared = [("base", "x", "base", "x"), ("x", "y", "x", "y"), ("base", "y", "base", "y")]
    table = score.changes(compared, "held", by_model, 0.95, 1.1)
    assert table["value_before"].tolist() == [2.0, 2.5, 2.0]
    assert table["value_after"].tolist() == [2.5, 1.75, 1.75]
    assert table["estimate"].tolist() == pytest.approx([0.5, -0.75, -0.25])


def test_stimuli_are_held_out_texts_as_they_were_each_once_and_cut():
    rows = [("train", "original", "learned"), ("test", "swapped", "exchanged")]
    rows += [("test", "original", text) for text in ("one two  three", "one two four", "five", "six")]
    corpus = pd.DataFrame(rows, columns=["split", "side", "text"])
    assert stimuli.instantiate(corpus, 2, 2)["text"].tolist() == ["one two", "five"]
    result = stimuli.instantiate(corpus, 9, 9)
    assert result["text"].tolist() == ["one two three", "one two four", "five", "six"]
    assert result["sentence_id"].is_unique
