"""Probes in the authors' columns, what is wrong with a table of them, and perplexities from scores."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.sofa import toy
from tests.refusals import refused

from herbarium.metrics.sofa import lists, stimuli

# The columns of the authors' file (copenlu/sofa, SoFa.csv), with words of ours.
RELEASED = """ID,Category,Identity,Stereotype,Probe
0,trade,Bakers,sing,Bakers sing
0,trade,Pilots,sing,Pilots sing
1,trade,Bakers,"nap, often","Bakers nap, often"
1,trade,Pilots,"nap, often","Pilots nap, often"
"""

LAST = '1,trade,Pilots,"nap, often","Pilots nap, often"\n'


@pytest.fixture
def file(tmp_path):
    def write(text, name="probes.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_a_table_as_released(file, tmp_path):
    table = lists.read(file(RELEASED))
    assert table.columns.tolist() == stimuli.COLUMNS
    assert table["probe"].tolist() == ["Bakers sing", "Pilots sing", "Bakers nap, often", "Pilots nap, often"]
    table.to_parquet(tmp_path / "probes.parquet")
    assert lists.read(tmp_path / "probes.parquet").equals(table)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("Identity", "Name", ("'identity'",)),
        ("Pilots sing\n", "\n", ("row 2", "'probe'")),
        ("Bakers sing\n", "Cooks sing\n", ("row 1", "'Cooks sing'", "'Bakers'")),
        ("1,trade,Pilots,", "1,trade,Bakers,", ("row 4", "'Pilots nap, often'", "'Bakers'")),
        (LAST, LAST.replace("Pilots", "Bakers"), ("row 4", "'Bakers'", "'nap, often'", "'trade'")),
        ('1,trade,Bakers,"nap, often","Bakers nap, often"\n' + LAST, "", ("'trade'", "'sing'")),
        ("Pilots", "bakers", ("'trade'", "'bakers'", "'Bakers'")),
        ("1,trade,Pilots", "1,sport,Pilots", ("'sport'", "'Pilots'")),
        (RELEASED, "category,identity,stereotype,probe\n", ("probes.csv",)),
    ],
)
def test_a_fault_is_told_with_its_file_and_row(file, old, new, told):
    path = file(RELEASED.replace(old, new))
    with refused(None, str(path), *told):
        lists.read(path)


@pytest.mark.parametrize("spelled", ["sing ", " sing", "sing\N{NO-BREAK SPACE}", "sing\N{ZERO WIDTH SPACE}", "\tsing"])
def test_a_stereotype_is_the_same_with_white_space_around_it(file, spelled):
    table = lists.read(file(RELEASED.replace("Pilots,sing,", f'Pilots,"{spelled}",')))
    assert table["stereotype"].value_counts().to_dict() == {"sing": 2, "nap, often": 2}
    with refused(None, "row 3", "'Pilots'", "'sing'"):  # and then there twice
        lists.read(file(RELEASED.replace("\n1,", f'\n0,trade,Pilots,"{spelled}",Pilots sing\n1,', 1)))


@pytest.mark.parametrize(
    ("identity", "probe", "is_named"),
    [
        ("men", "women are lazy", False),
        ("men", "mental ills are lazy", False),
        ("men", "Men are lazy", True),
        ("Men", "lazy are the men", True),
        ("old  men", "old men's work", True),
        ("he", "the tall one", False),
        ("人", "中国人很懒", True),
        ("人", "woman", False),
    ],
)
def test_an_identity_is_words_of_its_probe(identity, probe, is_named):
    assert lists.is_named(" ".join(identity.split()), probe) == is_named


def test_every_identity_is_also_alone_and_shards_divide_them():
    table = lists.read(toy.DEMO)
    shards = [lists.instantiate(table, shard, 3) for shard in range(3)]
    sentences = pd.concat(shards)
    assert len(sentences) == 2 * 8 * (1 + 8)
    assert sorted(sentences["text"]) == sorted([*table["probe"], *table["identity"].unique()])
    for shard in shards:
        assert shard.groupby("identity").size().eq(9).all()


def test_a_value_is_the_log_of_two_perplexities(file):
    """PPL of an identity 100 and 1000, of its probes 10."""
    table = toy.sentences(lists.read(file(RELEASED)))
    alone = table["identity"].map({"Bakers": 2.0, "Pilots": 3.0})
    scores = toy.scores(table, alone.where(table["stereotype"] == "", 1.0))
    observations = stimuli.observe(table, scores)
    assert len(observations) == 4
    of_identity = observations.set_index(["identity", "stereotype"])
    assert of_identity["value"].groupby("identity").first().to_dict() == pytest.approx({"Bakers": -1, "Pilots": -2})
    assert of_identity.loc["Pilots", "identity_value"].tolist() == pytest.approx([3, 3])
    assert of_identity.loc[("Pilots", "nap, often"), ["n_tokens", "n_identity_tokens"]].tolist() == [4, 1]


def test_what_was_refused_has_no_value_and_says_why(file):
    table = toy.sentences(lists.read(file(RELEASED)))
    scores = toy.scores(table, pd.Series(1.0, table.index)).set_index(table["text"])
    refusing, alike = scores.copy(), scores.copy()
    refusing.loc["Bakers", ["value", "note"]] = [np.nan, "refused: x"]
    lost = stimuli.observe(table, refusing).set_index("text")
    assert lost["value"].notna().to_dict() == {text: "Pilots" in text for text in lost.index}
    assert (lost["note"].dropna() == "the identity alone: refused: x").all()
    alike.loc[["Bakers sing", "Pilots sing"], "given"] = -1  # a tokenizer does not tell them apart
    same = stimuli.observe(table, alike).set_index("text")
    assert same["value"].isna().to_dict() == {text: "sing" in text for text in same.index}


def test_stereotypes_of_one_identity_may_be_the_same_to_the_model(file):
    """What is compared are the identities of one stereotype."""
    table = toy.sentences(lists.read(file(RELEASED)))
    scores = toy.scores(table, pd.Series(1.0, table.index)).set_index(table["text"])
    scores.loc[["Bakers sing", "Bakers nap, often"], "given"] = -1
    scores.loc[["Pilots sing", "Pilots nap, often"], "given"] = -2
    assert stimuli.observe(table, scores)["value"].notna().all()
