"""Sentences of one's own through the workflow: pairs, shares, candidates, and a set of the catalogue."""

import pandas as pd
import pytest
from tests.measured.study import CANDIDATES
from tests.reports import table
from tests.sets import PAIRS

import herbarium

pytestmark = pytest.mark.slow


def test_numbers_are_those_of_a_planted_preference(results):
    numbers = pd.read_csv(results / "tables/sentence_sets_numbers.csv")
    numbers = numbers[numbers["stimuli"] == "pronouns"]
    strong, none = (numbers[numbers["model"] == model] for model in ("pronoun-strong", "masked-none"))
    assert strong["group"].tolist() == ["all", "care", "technical"]
    assert strong["n"].tolist() == [10, 5, 5]
    assert (strong["ci_low"] > 0).all()
    assert (strong["ci_low"].to_numpy() > none["estimate"].to_numpy()).all()
    assert strong["p_value"].tolist() == [2 / 2**10, 2 / 2**5, 2 / 2**5]
    assert strong["note"].iloc[1:].eq("5 units can give no p below 0.062: a test needs at least 6").all()


def test_a_number_of_a_slot_is_that_of_the_library(results):
    sentences = pd.read_csv(results / "tables/sentence_sets_sentences.csv")
    is_asked = (sentences["model"] == "pronoun-strong") & (sentences["stimuli"] == "pronouns")
    rows = sentences[is_asked & (sentences["set"] == "nurse")]
    texts = rows["text"].tolist()
    starts = [text.index(f" {side} ") + 1 for side, text in zip(rows["side"], texts, strict=True)]
    spans = {"asked": [(start, start + len(side)) for start, side in zip(starts, rows["side"], strict=True)]}
    expected = herbarium.score(texts, results / "work/testbed/pronoun-strong", "slot", spans=spans)
    assert rows["value"].tolist() == pytest.approx(expected.tolist(), abs=1e-5)


def test_masked_and_causal_models_stand_side_by_side(measured, results):
    sentences = pd.read_csv(results / "tables/sentence_sets_sentences.csv")
    for model, quantity, kind in (("bert", "pll", "masked"), ("gpt2", "ll", "causal")):
        rows = sentences[(sentences["model"] == model) & (sentences["stimuli"] == "pairs")]
        expected = herbarium.score(rows["text"].tolist(), measured.folder / model, quantity, kind=kind)
        assert rows["value"].tolist() == pytest.approx(expected.tolist(), abs=1e-4)
    numbers = pd.read_csv(results / "summary.csv")
    shares = numbers[numbers["variant"] == "likelihood_share"]
    assert shares["model"].tolist() == ["bert", "gpt2"]
    assert shares["n"].eq(4).all()
    assert shares["note"].str.startswith("4 units can give no p below 0.12").all()


def test_a_set_of_the_catalogue_is_measured_in_all_models_that_can_be(measured, results):
    sentences = pd.read_csv(results / "tables/sentence_sets_sentences.csv")
    rows = sentences[(sentences["stimuli"] == "indibias") & (sentences["model"] == "gpt2")]
    assert rows["text"].tolist() == [text for pair in PAIRS[:2] for text in pair]
    expected = herbarium.score(rows["text"].tolist(), measured.folder / "gpt2", "ll", kind="causal")
    assert rows["value"].tolist() == pytest.approx(expected.tolist(), abs=1e-4)
    numbers = pd.read_csv(results / "summary.csv")
    assert set(numbers.loc[numbers["variant"] == "pair_likelihood_share", "model"]) == {"bert", "gpt2"}
    faults = pd.read_csv(results / "tables/sentence_sets_faults.csv")
    assert faults.loc[faults["stimuli"] == "indibias", ["line", "is_left_out"]].to_numpy().tolist() == [[3, True]]


def test_a_set_with_a_refused_candidate_is_left_out_and_said_to_be(measured, results):
    numbers = pd.read_csv(results / "summary.csv")
    frame = numbers[numbers["unit"] == "slots"].set_index(["group", "variant"])
    assert frame.loc["all", "n"].eq(3).all()
    assert frame.loc["b", "n"].eq(1).all()
    assert frame.loc["b", "note"].str.contains("1 of 2 sets left out: a sentence has no score").all()
    of_all = frame.loc["all", "estimate"]
    preferences = of_all[~of_all.index.str.endswith("_bound")]
    assert len(preferences) == len(CANDIDATES)
    assert preferences.sum() == pytest.approx(0, abs=1e-9)
    sentences = pd.read_csv(results / "tables/sentence_sets_sentences.csv")
    refused = sentences[sentences["value"].isna()]
    assert refused["id"].tolist() == ["loud-snow"]
    assert "knows no part of the asked_words" in refused["note"].iloc[0]
    page = (results / "report/index.html").read_text(encoding="utf-8")
    assert len(table(page, "table-sentence-sets-slots")) == 9


def test_what_is_counted_is_said_of_every_number(results):
    numbers = pd.read_csv(results / "summary.csv")
    silent = numbers[numbers["n"].notna() & numbers["over"].isna()]
    assert silent[["metric", "variant"]].drop_duplicates().to_numpy().tolist() == []
    headline = pd.read_csv(results / "headline.csv")
    assert headline.loc[headline["n"].notna(), "over"].ne("units").all()
