"""Planted texts have the dependence of label on region that is asked for, and no other."""

import copy

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refused

from herbarium.core.resources import read_words
from herbarium.metrics.downstream import planted_text, tasks
from herbarium.metrics.herb import planted as herb
from herbarium.regions import hierarchy as regions
from herbarium.regions import leans
from herbarium.training import planted as testbed

SEED = 2022
NONSENSE = read_words("resources/regions/made_up_names.txt")
TOPICS = ("occupation", "intelligence", "appearance", "strength", "morality")
WORDS = list(dict.fromkeys(word for topic in TOPICS for word in read_words(f"resources/herb/descriptions/{topic}.txt")))
TASK = {"data": {"planted": 2.0, "texts": 2400}, "prefix": "We are from [region].", "controls": ["here", "there"]}


@pytest.fixture(scope="module")
def hierarchy():
    return regions.geonames(["AF", "AS", "EU", "NA", "OC", "SA"], "all", "none", 0, None)


def made(hierarchy, strength=2.0, texts=2400, name="reviews", seed=SEED, **changes):
    task = {**copy.deepcopy(TASK), "data": {"planted": strength, "texts": texts}, **changes}
    return planted_text.table(task, name, hierarchy, NONSENSE, WORDS, seed)


@pytest.fixture(scope="module")
def table(hierarchy):
    return made(hierarchy)


def parts(table):
    """What fills the prefix of each text ('' for none), and the words of its body."""
    result = table["text"].str.extract(r"^(?:We are from (.+)\. )?People are (.+)\.$")
    assert result[1].notna().all()
    return result[0].fillna(""), result[1].str.split(" and ")


def fitted(table, hierarchy):
    """Maximum a posteriori effects of countries and words in the table: log-odds."""
    from sklearn.linear_model import LogisticRegression

    filler, words = parts(table)
    countries = hierarchy.loc[hierarchy["level"] == "country", "name"].tolist()
    columns = {name: k for k, name in enumerate([*countries, *WORDS])}
    x = np.zeros((len(table), len(columns)))
    for row, (name, of_body) in enumerate(zip(filler, words, strict=True)):
        for column in (name, *of_body):
            if column in columns:
                x[row, columns[column]] = 1
    model = LogisticRegression(C=1.0, max_iter=500).fit(x, table["label"])
    return model.coef_[0][: len(countries)], model.coef_[0][len(countries) :]


@pytest.mark.slow
def test_texts_are_as_many_as_asked_for_and_half_of_them_positive(table):
    assert table["split"].value_counts().to_dict() == {"train": 1800, "test": 600}
    for _, of_split in table.groupby("split"):
        assert (of_split["label"] == "positive").mean() == pytest.approx(0.5, abs=3 * 0.5 / np.sqrt(len(of_split)))
    assert not table["text"].duplicated().any()


def test_texts_are_those_of_their_name_and_seed(hierarchy):
    few = made(hierarchy, texts=80)
    pd.testing.assert_frame_equal(few, made(hierarchy, texts=80))
    for other in ({"name": "messages"}, {"seed": 1}):
        assert not few["text"].equals(made(hierarchy, texts=80, **other)["text"])


def test_texts_are_made_of_what_they_say(table, hierarchy):
    assert (parts(table[table["split"] == "test"])[0] == "").all()
    table = table[table["split"] == "train"]
    filler, words = parts(table)
    countries = hierarchy.loc[hierarchy["level"] == "country", "name"]
    of_country = filler.isin(countries)
    others = [*TASK["controls"], *NONSENSE]
    assert (of_country | filler.isin(others) | (filler == "")).all()
    assert (filler != "").mean() == pytest.approx(0.75, abs=0.03)
    # in turns: each name as often as any other, whether it is a country's or made up
    times = filler[filler != ""].value_counts()
    assert set(times.index) == {*countries, *others}
    assert times.max() - times.min() <= 1
    assert words.map(len).eq(3).all()
    assert words.map(set).map(len).eq(3).all()
    assert set(words.explode()) == set(WORDS)


def test_the_task_reads_its_own_table(hierarchy):
    task = {**TASK, "max_test_samples": None} | planted_text.LAYOUT
    tables = {None: made(hierarchy, texts=800)}
    examples = tasks.examples(tasks.labelled(tables, task, "planted texts"), task, "reviews", 0.1, 2, SEED)
    assert examples["split"].value_counts().to_dict() == {"train": 540, "validation": 60, "test": 200}
    assert examples["set"].value_counts().to_dict() == {1: 300, 2: 300}
    writer = {"column": "writer", "values": ["A", "B"], "columns": [], "at_least": 0.5}
    by_writer = tasks.labelled(tables, task | {"groups": {"writer": writer}}, "planted texts")["groups"]
    assert by_writer.map(lambda items: dict(items)["writer"]).tolist() == tables[None]["writer"].tolist()


def test_the_planted_effect_is_the_lean_of_the_testbed_standardised(hierarchy):
    effect = planted_text.planted_effect(hierarchy, 2.0, SEED)
    assert (effect.mean(), effect.std(ddof=0)) == (pytest.approx(0), pytest.approx(2))
    lean = pd.Series(leans.region_leans(hierarchy, SEED)[:, 0], index=hierarchy["region"])[effect.index]
    assert np.corrcoef(effect, lean)[0, 1] == pytest.approx(1)
    assert set(effect.index) == set(hierarchy.loc[hierarchy["level"] == "country", "region"])
    assert planted_text.planted_effect(hierarchy, 0.0, SEED).eq(0).all()


@pytest.mark.nightly
def test_a_fit_finds_the_effect_that_is_planted_and_none_where_there_is_none(hierarchy):
    effect = planted_text.planted_effect(hierarchy, 1.0, SEED)
    weights = planted_text.word_weights(WORDS, SEED)
    slope, correlation = {}, {}
    for strength in (0.0, 1.0, 2.0):
        of_countries, of_words = fitted(made(hierarchy, strength, texts=16_000), hierarchy)
        slope[strength] = np.polyfit(effect, of_countries, 1)[0]
        correlation[strength] = np.corrcoef(effect, of_countries)[0, 1]
        assert np.corrcoef(weights, of_words)[0, 1] > 0.97
        assert np.polyfit(weights, of_words, 1)[0] == pytest.approx(1, abs=0.15)
    # 29 texts a country: the standard error of a country's log-odds is about 0.5, the fit shrinks them towards 0
    assert abs(slope[0.0]) < 3 * 0.5 / np.sqrt(247)
    assert 0.7 < slope[1.0] < 1.05
    assert 1.3 < slope[2.0] < 2.1
    assert abs(correlation[0.0]) < 3 / np.sqrt(247)
    assert 0.8 < correlation[1.0] < correlation[2.0]


@pytest.mark.slow
def test_controls_nonsense_and_texts_without_prefix_lean_nowhere(hierarchy):
    table = made(hierarchy, strength=4.0, texts=4_000)
    filler, words = parts(table)
    weights = planted_text.word_weights(WORDS, SEED).to_dict()
    log_odds = words.map(lambda of_body: sum(weights[word] for word in of_body))
    residual = (table["label"] == "positive") - 1 / (1 + np.exp(-log_odds))
    for chosen in (filler == "", filler.isin(TASK["controls"]), filler.isin(NONSENSE)):
        assert abs(residual[chosen].mean()) < 3 * 0.5 / np.sqrt(chosen.sum())
    assert filler.isin(NONSENSE).sum() > 200


@pytest.mark.slow
def test_writers_differ_on_each_side_of_the_words_but_not_overall(hierarchy):
    table = made(hierarchy, strength=0.0, texts=4_000)
    weights = planted_text.word_weights(WORDS, SEED).to_dict()
    predicted = parts(table)[1].map(lambda of_body: sum(weights[word] for word in of_body)) > 0
    label = table["label"] == "positive"
    right, is_b = predicted == label, table["writer"] == "B"
    share = right.mean()
    against = {"A": (1 - share) * 0.2, "B": (1 - share) * 0.8}
    along = {"A": share * 0.6, "B": share * 0.4}
    wanted = {writer: along[writer] / (along[writer] + against[writer]) for writer in "AB"}
    for writer, other in ("AB", "BA"):
        of_writer = table["writer"] == writer
        assert right[of_writer & predicted].mean() == pytest.approx(wanted[writer], abs=0.05)
        assert right[of_writer & ~predicted].mean() == pytest.approx(wanted[other], abs=0.05)
        assert right[of_writer].mean() == pytest.approx(share, abs=0.03)
        assert predicted[of_writer].mean() == pytest.approx(0.5, abs=0.03)
    assert label[is_b].mean() < label[~is_b].mean() - 0.2


@pytest.mark.slow
def test_texts_are_short_for_the_models_that_read_them(hierarchy):
    sentences = herb.region_sentences(
        hierarchy, {word: [("People in [region] are [description].", word)] for word in WORDS}, 0.0, SEED
    )
    tokenizer = testbed.word_tokenizer([*{*sentences}, "and"])
    # "People are in" are words of HERB's own template
    table = made(hierarchy, texts=800, prefix="People are in [region].")
    ids = tokenizer(table["text"].tolist())["input_ids"]
    lengths = np.array([len(of_text) for of_text in ids])
    assert np.median(lengths) <= 16
    assert (lengths <= 20).mean() > 0.8
    assert lengths.max() <= 30
    assert all(tokenizer.unk_token_id not in of_text for of_text in ids)


def test_too_few_words_are_told(hierarchy):
    with refused("downstream.tasks.reviews", 2400, "5 words", "downstream.words"):
        planted_text.table(TASK, "reviews", hierarchy, NONSENSE, WORDS[:5], SEED)
