"""Words of two groups that are not as long, or the same, for a model."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from herbarium.metrics.mixed_effects import lengths, stimuli
from herbarium.metrics.mixed_effects.questions import EQUAL_LENGTH, Question, ask, select
from herbarium.scoring.sentences import SAME
from herbarium.statistics.fits import CROSSED, answers, settings
from herbarium.statistics.section import MixedModels


def measured(observations, lists, *contrast):
    question = Question("serenity", *(contrast or ("male", "female")), structure=CROSSED)
    chosen = settings(MixedModels().model_dump(mode="json"), 1)
    fits, _ = answers("m", "traits", ask(observations, lists, [question]), None, chosen)
    return lengths.noted(fits, observations).set_index("subset")


@pytest.fixture
def split(of_traits):
    """A model without bias, and a tokenizer that splits two thirds of the female words once more: every token takes
    something away."""
    female = of_traits.loc[of_traits["gender"] == "female", "word"].unique()
    longer = of_traits["word"].isin(female[: 2 * len(female) // 3])
    return of_traits.assign(n_tokens=1 + longer, association=of_traits["association"] - 1.0 * longer)


@pytest.mark.slow
def test_length_alone_is_no_bias_without_a_note(split, traits):
    result = measured(split, traits)
    assert result.index.tolist() == ["all", EQUAL_LENGTH]
    whole, alike = result.loc["all"], result.loc[EQUAL_LENGTH]
    assert whole["p_value"] < 0.05 < alike["p_value"]
    assert "tokens that are scored, on average: 1.00 for male words, 1.67 for female words" in whole["note"]
    assert "pairs differ in their number of tokens" in whole["note"]
    assert pd.isna(alike["note"])
    equal = split[lengths.in_equal_pairs(split)]
    assert equal["n_tokens"].eq(1).all()
    by_hand = [equal[equal["gender"] == name].drop_duplicates("word")["word"] for name in ("male", "female")]
    data, _ = select(split, traits, Question("serenity", "male", "female", EQUAL_LENGTH, CROSSED))
    assert set(data["word"]) == {*by_hand[0], *by_hand[1]}


def test_words_without_a_pair_have_a_note_alone(split, traits):
    longer = split.assign(n_tokens=split["n_tokens"].where(split["gender"] != "neo", 3))
    result = measured(longer, traits, "male", "neo")
    assert result.index.tolist() == ["all"]
    assert result.loc["all", "note"] == "tokens that are scored, on average: 1.00 for male words, 3.00 for neo words"


def test_words_of_one_length_have_neither_and_pairs_that_all_differ_no_row(of_traits, traits):
    is_female = of_traits["gender"] == "female"
    for n_tokens, note in ((1, None), (2, None), (1 + is_female, "the words of 94 of 94 pairs differ")):
        result = measured(of_traits.assign(n_tokens=n_tokens), traits)
        assert result.index.tolist() == ["all"]
        assert note in result.loc["all", "note"] if note else pd.isna(result.loc["all", "note"])


def test_too_few_pairs_of_equal_length_have_no_test(of_traits, traits):
    longer = (of_traits["gender"] == "female") & ~of_traits["pair"].isin(of_traits["pair"].dropna().unique()[:3])
    row = measured(of_traits.assign(n_tokens=1 + longer), traits).loc[EQUAL_LENGTH]
    assert np.isfinite(row["estimate"])
    assert pd.isna(row["p_value"])
    assert "fewer than 4 do not generalise to others" in row["note"]


def test_a_pair_that_is_the_same_to_the_model_is_left_out_and_named():
    """A tokenizer that makes the same of *woman* and *man*."""
    lists = stimuli.read("resources/mixed_effects/demo")
    lists = dataclasses.replace(lists, targets=lists.targets[lists.targets["dimension"] == "serenity"][:1])
    probe = pd.concat(stimuli.instantiate(lists, ["the"], True, 0, 1), ignore_index=True)
    as_man = probe["text"].str.replace("woman", "man").str.replace("her", "his")
    texts = probe["text"].mask(probe["word"] == "woman", as_man)
    scores = pd.DataFrame({"sentence_id": probe["sentence_id"], "quantity": "loss", "value": 1.0, "note": None})
    scores = scores.assign(n_tokens=7, given=pd.factorize(texts)[0])
    (result,) = stimuli.observe(lists, probe, scores, stimuli.Kind.causal)
    assert set(result.loc[result["association"].isna(), "pair"]) == {"woman-man"}
    assert set(result.loc[result["pair"] == "woman-man", "note"]) == {SAME}
    fits = pd.DataFrame([{"structure": CROSSED, "subset": "all", "definition": "paper", "contrast": "male-female"}])
    (note,) = lengths.noted(fits.assign(note="2 words left out"), result)["note"]
    assert note == "2 words left out; 1 pair left out, the same to the model: woman-man"


def test_a_pair_is_of_equal_length_only_if_it_is_so_in_every_template_with_every_target():
    """In one template, the second pair's words differ; a sentence of the third was refused, so that it is one of it."""
    rows = [
        (pair, template, target, gender)
        for pair in ("a-b", "c-d", "e-f")
        for template in ("t1", "t2")
        for target in ("x", "y")
        for gender in ("female", "male")
    ]
    table = pd.DataFrame(rows, columns=["pair", "template", "target", "gender"])
    table = table.assign(definition="paper", word=table["pair"] + table["gender"], n_tokens=2, association=0.0)
    differs = (table[["pair", "template", "target", "gender"]] == ["c-d", "t2", "y", "male"]).all(axis=1)
    table.loc[differs, "n_tokens"] = 3
    table.loc[(table["pair"] == "e-f") & (table["gender"] == "male"), "association"] = np.nan
    assert table["pair"][lengths.in_equal_pairs(table)].unique().tolist() == ["a-b", "e-f"]
    fits = pd.DataFrame([{"structure": CROSSED, "subset": "all", "definition": "paper", "contrast": "male-female"}])
    (note,) = lengths.noted(fits.assign(note=None), table.assign(note=None))["note"]
    assert note.endswith("the words of 1 of 2 pairs differ in their number of tokens")


def test_each_definition_has_the_lengths_of_its_own_sentences(of_traits, traits):
    released = of_traits.assign(definition="released", n_tokens=1 + (of_traits["gender"] == "female"))
    keys = {"structure": CROSSED, "subset": "all", "contrast": "male-female", "note": None}
    fits = pd.DataFrame([keys | {"definition": name} for name in ("paper", "released")])
    fits = pd.concat([fits, fits.assign(structure="intercepts")], ignore_index=True)
    notes = lengths.noted(fits, pd.concat([of_traits, released]))["note"]
    assert notes.isna().tolist() == [True, False, True, True]
    assert notes[1].startswith("tokens that are scored, on average: 1.00 for male words, 2.00 for female words")


def test_sentences_that_differ_in_their_determiner_alone_may_be_the_same_to_the_model():
    """A tokenizer that drops determiners: what must differ are the words of a pair."""
    lists = stimuli.read("resources/mixed_effects/demo")
    of_serenity = lists.targets[lists.targets["dimension"] == "serenity"]
    lists = dataclasses.replace(lists, targets=of_serenity[:1], pairs=lists.pairs[:4])
    probe = pd.concat(stimuli.instantiate(lists, ["the", "my"], True, 0, 1), ignore_index=True)
    loss = np.random.default_rng(0).normal(3, 0.5, len(probe))
    scores = pd.DataFrame({"sentence_id": probe["sentence_id"], "quantity": "loss", "value": loss, "note": None})
    given = pd.factorize(probe["text"].str.replace(r"\b(my|the) ", "", regex=True))[0]
    scores = scores.assign(n_tokens=7, given=given).drop_duplicates("sentence_id")
    (result,) = stimuli.observe(lists, probe, scores, stimuli.Kind.causal)
    assert (result.groupby(["pair", "word", "template"])["determiner"].nunique() == 2).any()
    assert result["association"].notna().all()
