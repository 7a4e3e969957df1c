"""The stimuli of the mixed-effects metric: sentences, spans, and the choice of one sentence per word."""

import dataclasses
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import mostly_nightly
from tests.refusals import refused

from herbarium.metrics.mixed_effects import stimuli
from herbarium.models.kinds import Kind

FOLDER = "resources/mixed_effects"
DETERMINERS = ["the", "my", "your", "our", "their"]
TABLES = {
    "templates": "key,kind,asked,text,negative\n"
    "t1,indirect,subject,[determiner] [subject] is [a] [target] person.,yes\n"
    "t5,direct,object,people admire [determiner] [object] because of [possessive] [target] personality.,\n"
    "t6,direct,possessor,[determiner] [possessor] [target] personality is valued at [possessive] work.,\n",
    "pairs": "female,male,common,determiner\nwoman,man,yes,\nshe,he,yes,\nsister,brother,,my\n",
    "pronouns": "gender,subject,object,possessor,possessive,released_possessor\n"
    "female,she,her,her,her,\nmale,he,him,his,his,\nneo,xe,xem,xyr,xyr,xe's\n",
    "targets": "dimension,polarity,target,released_a\n"
    "order,positive,tidy,\norder,positive,obedient,a\norder,negative,careless,\n",
}


@pytest.fixture
def folder(tmp_path):
    def write(**changed):
        for name, text in {**TABLES, **changed}.items():
            (tmp_path / f"{name}.csv").write_text(text)
        return tmp_path

    return write


def instantiated(folder, lowercase=True, shard=0, n_shards=1, determiners=("the", "my")):
    lists = stimuli.read(folder)
    return pd.concat(stimuli.instantiate(lists, determiners, lowercase, shard, n_shards), ignore_index=True)


@pytest.fixture(scope="module")
def published():
    """Of a list and whether in lower case: all of its sentences, of traits two thirds of a million."""
    return cache(lambda name, lowercase: instantiated(f"{FOLDER}/{name}", lowercase, determiners=DETERMINERS))


def test_every_word_stands_in_every_template_in_its_form(folder):
    probe = instantiated(folder())
    women, men = (["the woman", "my woman", "my sister"], ["the man", "my man", "my brother"])
    whose = dict.fromkeys(women, "her") | dict.fromkeys(men, "his")
    admired = whose | {"her": "her", "him": "his", "xem": "xyr"}
    assert set(probe.loc[(probe["target"] == "tidy") & probe["definition"].isna(), "text"]) == {
        *(f"{who} is a tidy person." for who in (*whose, "she", "he", "xe")),
        *(f"people admire {who} because of {their} tidy personality." for who, their in admired.items()),
        *(f"{who}'s tidy personality is valued at {their} work." for who, their in whose.items()),
        *(f"{their} tidy personality is valued at {their} work." for their in ("her", "his")),
    }
    assert set(probe.loc[probe["target"] == "careless", "template"]) == {"t1"}  # t5 and t6 take no negative target


def test_what_the_released_code_writes_otherwise_is_its_own(folder):
    rows = instantiated(folder()).dropna(subset="definition").set_index(["word", "template", "target", "definition"])
    she = {"paper": "she is an obedient person.", "released": "she is a obedient person."}
    xe = {
        "paper": "xyr tidy personality is valued at xyr work.",
        "released": "xe's tidy personality is valued at xyr work.",
    }
    assert rows.sort_index().loc[("she", "t1", "obedient"), "text"].to_dict() == she
    assert rows.sort_index().loc[("xe", "t6", "tidy"), "text"].to_dict() == xe
    assert set(rows.index.unique("target")) == {"obedient", "tidy"}


@pytest.mark.parametrize(
    ("name", "lowercase"),
    mostly_nightly(
        [("traits", True), ("professions", True), ("nouns", False), ("demo", True), ("demo", False)], "demo"
    ),
)
@pytest.mark.slow
def test_spans_hold_the_words(published, name, lowercase):
    probe = published(name, lowercase)
    shown = probe.sample(500, random_state=1)
    for row in shown.to_dict("records"):
        spoken = {
            slot: row["text"][int(row[f"{slot}_start"]) : int(row[f"{slot}_end"])] for slot in ("asked", "condition")
        }
        assert spoken["condition"].lower() == row["target"].lower()
        if row["template"] not in ("t5", "t6", "job", "likes2", "hates2"):
            assert spoken["asked"].lower() == row["word"].lower()
        if pd.notna(row["hidden_start"]):
            hidden = row["text"][int(row["hidden_start"]) : int(row["hidden_end"])]
            assert hidden.lower() in {"her", "his", "she", "he", "xyr", "eir", "zir", "vis", "aer"}
    assert probe["sentence_id"].is_unique
    assert not probe["text"].str.contains(r"\[|  |^ ").any()
    assert (probe["text"].str[0].str.islower() == lowercase).all()


def test_a_word_without_article_leaves_no_gap():
    texts = set(instantiated(f"{FOLDER}/nouns", lowercase=False)["text"])
    assert {"She is someone.", "Someone said that he likes his job.", "The nurse said that she likes her job."} <= texts
    assert {"He works as an engineer.", "He works as a nurse."} <= texts


def test_shards_share_no_target_and_leave_none_out(folder):
    whole = instantiated(folder())
    parts = [instantiated(folder(), shard=shard, n_shards=3) for shard in range(3)]
    assert sum(len(part) for part in parts) == len(whole)
    assert set(pd.concat(parts)["sentence_id"]) == set(whole["sentence_id"])
    targets = [set(part["target"]) for part in parts]
    assert not set.intersection(targets[0] | targets[1], targets[2])


@pytest.mark.parametrize(
    ("table", "old", "new", "fault"),
    [
        ("templates", "subject,[d", "objekt,[d", ("templates.csv, row 1", "'objekt'", "'asked'", "subject")),
        ("templates", "[a] [target] p", "[a] p", ("templates.csv, row 1", "[target] and [subject]")),
        ("templates", "[a] [target]", "[the] [target]", ("templates.csv, row 1", "[the]", "a, determiner")),
        ("templates", "t5,", "t1,", ("templates.csv, row 2", "'t1'", "row 1")),
        ("templates", "person.,yes", "person.,no", ("templates.csv, row 1", "'no'", "'negative'", "yes")),
        ("pairs", "woman,man", "woman,", ("pairs.csv, row 1", "''", "'male'")),
        ("pairs", "she,he,yes,", "woman,man,yes,", ("pairs.csv, row 2", "'woman-man'", "row 1")),
        ("pronouns", "neo,", "other,", ("pronouns.csv, row 3", "'other'", "'gender'", "female, male, neo")),
        ("pronouns", "\nmale,he,him,his,his,", "", ("pronouns.csv", "'male'")),
        ("targets", "positive,tidy", "good,tidy", ("targets.csv, row 1", "'good'", "'polarity'")),
        ("targets", "tidy,", " tidy,", ("targets.csv, row 1", "' tidy'", "'target'")),
        ("targets", "target,", "word,", ("targets.csv", "'target'")),
    ],
)
def test_faults_of_lists_are_told_with_their_place(folder, table, old, new, fault):
    text = TABLES[table].replace(old, new, 1)
    assert text != TABLES[table]
    with refused(*fault):
        stimuli.read(folder(**{table: text}))


def scores_of(probe, pppl, association):
    """A table "scores" with a pseudo-perplexity and associations (paper, ten times it as released) of each sentence."""
    rows = []
    for sentence_id, p, a in zip(probe["sentence_id"], pppl, association, strict=True):
        values = {"pppl": p, "slot": a - 5, "slot_prior": -5, "slot_released": 10 * a - 5, "slot_prior_released": -5}
        rows += [(sentence_id, quantity, value, 1, sentence_id, None) for quantity, value in values.items()]
    return pd.DataFrame(rows, columns=["sentence_id", "quantity", "value", "n_tokens", "given", "note"])


def observed(folder, pppl, association=None, kind=Kind.masked):
    probe = instantiated(folder)
    lists = stimuli.read(folder)
    pppl = np.array([pppl(row) for row in probe.itertuples()], dtype=float)
    association = np.arange(len(probe)) / 7 if association is None else association
    scores = scores_of(probe, pppl, association)
    return probe, pd.concat(stimuli.observe(lists, probe, scores, kind), ignore_index=True)


def test_a_pair_that_chooses_two_determiners_has_both(folder):
    """By hand: women are least perplexing as "the woman", men as "my man"; a pronoun and my sister have no choice."""

    def pppl(row):
        return 2 if (row.word, row.determiner) in {("woman", "the"), ("man", "my")} else 9

    probe, result = observed(folder(), pppl)
    rows = result[(result["definition"] == "paper") & (result["template"] == "t1") & (result["target"] == "tidy")]
    shown = rows[["pair", "gender", "word", "determiner", "pppl"]].fillna("-").astype(str).agg(" ".join, axis=1)
    assert shown.str.removesuffix(".0").tolist() == [
        *("she-he female she  9", "she-he male he  9"),
        *("sister-brother female sister my 9", "sister-brother male brother my 9"),
        *("woman-man female woman my 9", "woman-man female woman the 2"),
        *("woman-man male man my 2", "woman-man male man the 9", "- neo xe  9"),
    ]
    row = rows[(rows["word"] == "woman") & (rows["determiner"] == "the")].iloc[0]
    number = probe.index[(probe["text"] == "the woman is a tidy person.")][0]
    assert row["association"] == pytest.approx(number / 7)


def test_a_pair_that_agrees_has_one_sentence_each(folder):
    _, result = observed(folder(), lambda row: 1 if row.determiner == "my" else 4)
    rows = result[(result["definition"] == "paper") & (result["pair"] == "woman-man")]
    assert set(rows["determiner"]) == {"my"}
    assert (rows.groupby(["template", "target", "gender"]).size() == 1).all()


def test_released_is_of_its_own_sentences_and_scores(folder):
    probe, result = observed(folder(), lambda row: 4)
    released = result[result["definition"] == "released"]
    rows = released[(released["word"] == "she") & (released["template"] == "t1")].set_index("target")["association"]
    for target, text in (("tidy", "she is a tidy person."), ("obedient", "she is a obedient person.")):
        assert rows[target] == pytest.approx(10 * probe.index[probe["text"] == text][0] / 7)


@pytest.mark.slow
@settings(max_examples=5)
@given(st.integers(0, 2**32))
def test_what_is_observed_of_a_pair_is_balanced(seed):
    lists = stimuli.read(f"{FOLDER}/demo")
    probe = pd.concat(stimuli.instantiate(lists, DETERMINERS, True, 0, 40), ignore_index=True)
    random = np.random.default_rng(seed)
    pppl = dict(zip(probe["sentence_id"], random.integers(1, 5, len(probe)), strict=True))
    scores = scores_of(probe, probe["sentence_id"].map(pppl), random.normal(size=len(probe)))
    (paper, _) = stimuli.observe(lists, probe, scores, Kind.masked)
    shuffled = scores.sample(frac=1, random_state=seed % 2**31)
    (again, _) = stimuli.observe(lists, probe, shuffled, Kind.masked)
    least = probe.assign(pppl=probe["sentence_id"].map(pppl)).groupby(["template", "target", "word"])["pppl"].min()
    n_words = 2 * len(lists.pairs)
    for (template, target, _), rows in paper.dropna(subset="pair").groupby(["template", "target", "pair"]):
        by_gender = rows.groupby("gender")["determiner"].agg(set)
        assert by_gender["female"] == by_gender["male"]
        assert len(by_gender["male"]) <= 2
        for word, of_word in rows.groupby("word"):
            assert of_word["pppl"].min() == least[template, target, word]
    disagreements = (paper.dropna(subset="pair").groupby(["template", "target", "pair"]).size() == 4).sum()
    fits = paper.groupby(["template", "target"]).ngroups
    assert paper["pair"].notna().sum() == n_words * fits + 2 * disagreements  # as Table 13 counts
    pd.testing.assert_frame_equal(again, paper)


def test_a_refused_sentence_is_not_chosen_while_another_is_there(folder):
    _, result = observed(folder(), lambda row: np.nan if row.determiner in ("the", "") else 4)
    woman = result[(result["word"] == "woman") & (result["definition"] == "paper")]
    assert set(woman["determiner"]) == {"my"}
    assert woman["association"].notna().all()
    assert result.loc[result["word"] == "she", "pppl"].isna().all()


def test_a_causal_model_associates_by_its_loss(folder):
    probe = instantiated(folder())
    loss = np.arange(len(probe)) / 50
    scores = probe[["sentence_id"]].assign(quantity="loss", value=loss, n_tokens=7, note=None)
    scores = scores.assign(given=probe["sentence_id"])
    (result,) = stimuli.observe(stimuli.read(folder()), probe, scores, Kind.causal)
    assert set(result["definition"]) == {"paper"}
    np.testing.assert_allclose(result["pppl"], np.exp(-result["association"]))
    row = result[(result["word"] == "he") & (result["template"] == "t1") & (result["target"] == "tidy")].iloc[0]
    assert row["association"] == -loss[probe["text"] == "he is a tidy person."][0]


@pytest.mark.slow
def test_the_golden_sentences_are_among_ours(shared):
    golden = pd.read_csv(shared / "golden/bert_random/traits_released.csv")
    lists = stimuli.read(f"{FOLDER}/traits")
    few = dataclasses.replace(lists, targets=lists.targets[lists.targets["target"].isin(golden["trait"])])
    ours = pd.concat(stimuli.instantiate(few, DETERMINERS, True, 0, 1))
    assert set(golden["sentence"]) <= set(ours["text"])


def test_only_letters_name_a_slot():
    """What is no slot where a template is checked is none where it is filled."""
    fillers = {"subject": "he", "target": "kind"}
    text = stimuli.sentence("[1st] [subject] is [target].", "subject", fillers, False)["text"]
    assert text == "[1st] he is kind."
