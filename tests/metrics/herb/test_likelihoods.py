"""From scores to f(S) by region and description, wording by wording."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from herbarium.metrics.herb import likelihoods, selection, stimuli
from herbarium.scoring.sentences import sentence_id

TEMPLATE = "People in [region] are [description]."
TOPICS = {"mind": ["weak", "wise"], "body": ["weak", "tall"]}
REGIONS = pd.DataFrame(
    [
        ("earth", None, "earth", "the Earth"),
        ("a", "earth", "country", "Alba"),
        ("b", "earth", "country", "Borea"),
        ("c", "a", "city", "Alba"),  # a city of its country's name
        ("d", "b", "city", "Dor"),
    ],
    columns=["region", "parent", "level", "name"],
)
NAMES = pd.DataFrame({"naming": ["official"], "region": ["b"], "name": ["the Kingdom of Borea"]})
FORMS = pd.DataFrame(columns=["topic", "description", *stimuli.FORMS])
WORDINGS = stimuli.wordings({"published": TEMPLATE}, TOPICS, {}, FORMS, ["no_full_stop", "pad_mean"])


def value(text):
    return -float(sentence_id(text) % 1000) / 100


def scored(sentences, refused=(), noted=()):
    rows = sentences[["sentence_id"]].assign(value=sentences["text"].map(value), note=None)
    rows["n_tokens"] = sentences["text"].str.split().str.len()
    rows.loc[sentences["text"].isin([*refused, *noted]), "note"] = "something"
    rows.loc[sentences["text"].isin(refused), "value"] = np.nan
    return rows


def table(wording="paper", **how):
    plain = {name: frames for name, frames in WORDINGS.items() if not stimuli.is_padded(name, ["pad_mean"])}
    frames = [stimuli.BARE_NAME, *(frame for frames in plain.values() for frame in frames)]
    sentences = stimuli.instantiate(frames, [*REGIONS["name"][1:], *NAMES["name"]])
    scores = scored(sentences, **how)
    padded = stimuli.instantiate_padded({name: WORDINGS[name] for name in WORDINGS.keys() - plain}, REGIONS["name"])
    padded_scores = scored(padded).assign(value=lambda rows: rows["value"] - 100)
    tables = likelihoods.assemble(
        REGIONS,
        NAMES,
        WORDINGS,
        stimuli.Values([sentences], scores),
        {name: stimuli.Values([rows], padded_scores) for name, rows in padded.groupby("wording")},
        likelihoods.partly_known(sentences, scores),
    )
    by_wording = {one["wording"][0].as_py(): one.cast(likelihoods.LIKELIHOODS.fields) for one in tables}
    assert list(by_wording) == ["paper", "no_full_stop", "pad_mean", "released", "name_official"]
    return by_wording[wording]


def test_sentences_have_their_number_of_tokens():
    n_tokens = likelihoods.frame(table("name_official"), TOPICS, "n_tokens")
    for region, name in REGIONS[["region", "name"]].iloc[1:].itertuples(index=False):
        words = "the Kingdom of Borea" if region == "b" else name
        expected = [len(frame[0].split()) - 1 + len(words.split()) for frame in WORDINGS["paper"]]
        assert n_tokens.loc[region].tolist() == expected


def test_every_wording_has_the_scores_of_its_own_sentences():
    f = likelihoods.frame(table(), TOPICS)
    assert f.index.tolist() == ["a", "b", "c", "d"]
    assert f.columns.tolist() == [("mind", "weak"), ("mind", "wise"), ("body", "weak"), ("body", "tall")]
    assert f.loc["b", ("mind", "wise")] == value("People in Borea are wise.")
    assert f.loc["a"].tolist() == f.loc["c"].tolist()
    assert (f["mind", "weak"] == f["body", "weak"]).all()
    f = likelihoods.frame(table("no_full_stop"), TOPICS)
    assert f.loc["d", ("body", "tall")] == value("People in Dor are tall")
    assert likelihoods.frame(table("pad_mean"), TOPICS).loc["d", ("body", "tall")] == (
        value("People in Dor are tall.") - 100
    )
    assert likelihoods.frame(table("released"), TOPICS).loc["d", ("body", "tall")] == (
        value("People in Dor are tall") - 100
    )
    assert table("released")["f_name"].to_pylist() == table()["f_name"].to_pylist()  # a bare name is never padded


def test_another_name_stands_where_a_region_has_one():
    usual, official = (likelihoods.frame(table(name), TOPICS) for name in ("paper", "name_official"))
    assert official.loc["b", ("mind", "wise")] == value("People in the Kingdom of Borea are wise.")
    assert table("name_official")["f_name"][1].as_py() == value("the Kingdom of Borea")
    pd.testing.assert_frame_equal(official.drop("b"), usual.drop("b"))


def test_what_was_refused_is_left_out_and_said():
    selected = selection.select(REGIONS, TOPICS, table())
    assert selected.f.shape == (5, 4)
    assert selected.parent.tolist() == [-1, 0, 0, 1, 2]
    assert selected.notes.tolist() == [None] * 5
    assert selected.kept.all()
    assert selected.used.all()

    unknown = [f"People in {name} are tall." for name in ("Alba", "Borea", "Dor")]
    selected = selection.select(REGIONS, TOPICS, table(refused=[*unknown, "People in Dor are wise."], noted=["Borea"]))
    assert selected.regions["region"].tolist() == ["earth", "a", "b", "c"]
    assert selected.lost["region"].tolist() == ["d"]
    assert selected.topic_of.tolist() == ["mind", "mind", "body"]
    assert selected.used.tolist() == [True, True, True, False]
    assert selected.notes[2] == (
        "the tokenizer knows only part of the name; without the descriptions that the tokenizer does not know: tall"
    )
    assert selected.notes[1] == "without the descriptions that the tokenizer does not know: tall"


def test_regions_and_rows_are_joined_by_name_not_by_place():
    shuffled = table().take(pa.array([3, 1, 0, 2]))
    np.testing.assert_array_equal(
        selection.select(REGIONS, TOPICS, shuffled).f, selection.select(REGIONS, TOPICS, table()).f
    )


def test_other_words_than_were_scored_are_refused():
    with pytest.raises(ValueError, match="Shape of passed values"):
        likelihoods.frame(table(), {"mind": ["weak", "wise", "odd"]})
