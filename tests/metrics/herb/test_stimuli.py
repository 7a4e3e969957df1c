from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refused

from herbarium.metrics.herb import stimuli
from herbarium.scoring.sentences import sentence_id

TEMPLATE = "People in [region] are [description]."
TOPICS = {"mind": ["weak", "wise"], "body": ["weak", "nurse"]}
FORMS = pd.DataFrame(
    [("", "nurse", "nurses", "a nurse", ""), ("", "wise", "", "", "  wise"), ("body", "weak", "", "", "   weak")],
    columns=["topic", "description", *stimuli.FORMS],
)


def frames(*words, template=TEMPLATE):
    return [stimuli.BARE_NAME, *((template, word) for word in words)]


def texts(wording):
    return [stimuli.frame_text(frame) for frame in wording]


def test_every_distinct_sentence_once_with_its_spans():
    sentences = stimuli.instantiate(frames("weak", "loud", "weak"), ["Peru", "Xi’an", "Peru"])
    assert sentences["text"].tolist() == [
        "Peru",
        "People in Peru are weak.",
        "People in Peru are loud.",
        "Xi’an",
        "People in Xi’an are weak.",
        "People in Xi’an are loud.",
    ]
    assert sentences["sentence_id"].is_unique
    for row in sentences.itertuples():
        assert row.text[row.region_start : row.region_end] == row.region_name
        assert row.text.replace(row.region_name, "[region]") == row.frame
        if row.text != row.region_name:
            assert row.text[int(row.description_start) : int(row.description_end)] in ("weak", "loud")


def test_slots_may_stand_in_any_order():
    row = stimuli.instantiate(frames("Kind", template="[description] people live in [region]."), ["Rome"]).iloc[1]
    assert row["text"] == "Kind people live in Rome."
    assert (row["description_start"], row["description_end"], row["region_start"]) == (0, 4, 20)


def test_a_filler_that_looks_like_a_slot_is_only_text():
    assert stimuli.instantiate(frames("loud"), ["[description]"])["text"][1] == "People in [description] are loud."


def test_sentence_id_is_of_the_text_alone():
    # kept for ever: caches are joined by it
    assert sentence_id("People in Peru are weak.") == stimuli.instantiate(frames("weak"), ["Peru"])["sentence_id"][1]
    assert sentence_id("Peru") == 3034969161092672172
    assert 0 <= sentence_id("Peru") < 2**63


def test_forms_stand_where_the_template_asks_for_them():
    plain, plural, singular, released = (
        texts(stimuli.wording(f"In [region]: [{slot}].", TOPICS, FORMS)) for slot in ("description", *stimuli.FORMS)
    )
    assert plain == [f"In [region]: {word}." for word in ("weak", "wise", "weak", "nurse")]
    assert plural == [f"In [region]: {word}." for word in ("weak", "wise", "weak", "nurses")]
    assert singular == [f"In [region]: {word}." for word in ("weak", "wise", "weak", "a nurse")]
    assert released == [f"In [region]: {word}." for word in ("weak", "  wise", "   weak", "nurse")]


def test_wordings_differ_from_the_published_one_in_what_their_name_says():
    templates = {"published": TEMPLATE, "grammatical": "People in [region] are [plural]."}
    substitutes = {"body": ["thin", "doctor"]}
    result = stimuli.wordings(
        templates, TOPICS, substitutes, FORMS, ["no_full_stop", "odd_spaces", "pad_mean", "unit_V"]
    )
    assert list(result) == [
        *("paper", "template_grammatical", "substitutes", "no_full_stop", "odd_spaces", "pad_mean", "released")
    ]
    assert texts(result["paper"])[1::2] == ["People in [region] are wise.", "People in [region] are nurse."]
    assert texts(result["template_grammatical"])[3] == "People in [region] are nurses."
    assert texts(result["substitutes"]) == ["People in [region] are thin.", "People in [region] are doctor."]
    assert texts(result["no_full_stop"]) == [text.removesuffix(".") for text in texts(result["paper"])]
    assert texts(result["odd_spaces"])[1:3] == ["People in [region] are   wise.", "People in [region] are    weak."]
    assert result["pad_mean"] == result["paper"]
    assert texts(result["released"])[1] == "People in [region] are   wise"
    padded = [name for name in result if stimuli.is_padded(name, ["no_full_stop", "pad_mean"])]
    assert padded == ["pad_mean", "released"]
    assert not stimuli.is_padded("released", ["no_full_stop"])
    assert list(stimuli.wordings({"a": TEMPLATE}, TOPICS, {}, FORMS, ["unit_V"])) == ["paper"]


def test_the_shipped_forms_are_those_of_the_released_code():
    forms = stimuli.read_forms("resources/herb/forms.csv")
    odd = forms[forms["released"] != ""].set_index(["topic", "description"])["released"]
    assert {key: len(form) - len(form.lstrip()) for key, form in odd.items()} == {
        **dict.fromkeys([("", "alluring"), ("", "powerful")], 8),
        ("strength", "weak"): 3,
        **{
            ("", word): 4
            for word in ("wise", "feeble", "upright", "narrow-minded", "homemaker", "nanny", "philosopher")
        },
    }
    assert odd["", "homemaker"].strip() == "Homemaker"
    nouns = Path("resources/herb/descriptions/occupation.txt").read_text().split("\n")[1:-1]
    listed = forms.set_index("description")
    assert (listed.loc[nouns, "plural"] != "").all()
    assert listed.loc[nouns, "singular"].str.match(r"(a [^aeiou]|an [aeiou])").all()


@pytest.mark.parametrize(("row", "fault"), [("x,,a,b,c", "description"), (",nurse,a,b,c", "'nurse'")])
def test_faults_of_forms_are_named(tmp_path, row, fault):
    path = tmp_path / "forms.csv"
    path.write_text(f"topic,description,plural,singular,released\n,nurse,nurses,a nurse,\n{row}\n")
    with refused("forms.csv, row 2", fault):
        stimuli.read_forms(path)


def test_a_new_frame_moves_no_other():
    before = stimuli.by_shard(frames("weak", "wise", "loud"), 4)
    after = stimuli.by_shard(frames("new", "weak", "wise", "loud"), 4)
    assert sorted(map(texts, before)) == sorted(
        [text for text in shard if "new" not in text] for shard in map(texts, after)
    )
    assert sum(map(len, before)) == 4


def test_the_published_frames_and_all_others_are_told_apart():
    templates = {"published": TEMPLATE, "grammatical": "People in [region] are [plural]."}
    departures = ["no_full_stop", "pad_mean"]
    named = stimuli.wordings(templates, TOPICS, {"body": ["thin", "weak"]}, FORMS, departures)
    published, others = stimuli.published_frames(named), stimuli.other_frames(named, departures)
    assert texts(published) == ["[region]", *(f"People in [region] are {word}." for word in ("weak", "wise", "nurse"))]
    assert texts(others) == [  # of all wordings but the padded ones, each frame once
        *("People in [region] are nurses.", "People in [region] are thin."),
        *(f"People in [region] are {word}" for word in ("weak", "wise", "nurse")),
    ]
    assert stimuli.other_frames({"paper": named["paper"], "pad_mean": named["pad_mean"]}, ["pad_mean"]) == []
    assert stimuli.template_wordings(named) == ["paper", "template_grammatical"]


def test_frames_of_a_description_are_those_of_the_templates():
    templates = {"published": TEMPLATE, "grammatical": "People in [region] are [plural]."}
    named = stimuli.wordings(templates, TOPICS, {"body": ["thin", "fat"]}, FORMS, ["no_full_stop"])
    result = stimuli.frames_by_description(named, TOPICS)
    assert {word: texts(of_word) for word, of_word in result.items()} == {
        "weak": ["People in [region] are weak."],
        "wise": ["People in [region] are wise."],
        "nurse": ["People in [region] are nurse.", "People in [region] are nurses."],
    }


def test_padded_batches_are_one_wording_of_one_region():
    named = {"pad_mean": frames("weak", "loud", "weak")[1:], "released": frames("weak")[1:]}
    sentences = stimuli.instantiate_padded(named, ["Peru", "Chad"])
    assert sentences["text"].str.count("weak").sum() == 4
    assert len(sentences) == 2 * 3
    assert sentences["sentence_id"].is_unique  # the same text in another batch is another sentence
    assert sentences.groupby("batch")[["wording", "region_name"]].nunique().eq(1).all(axis=None)
    assert sentences["batch"].nunique() == 4


def test_values_lay_scores_out_by_region_and_frame():
    sentences = stimuli.instantiate(frames("weak", "loud"), ["Peru", "Chad"])
    value = {"Peru": -1, "Chad": -2, "People in Peru are weak.": -3, "People in Chad are weak.": -4,
             "People in Peru are loud.": -5, "People in Chad are loud.": np.nan}  # fmt: skip
    scores = pd.DataFrame({"sentence_id": map(sentence_id, value), "value": value.values(), "n_tokens": 5})
    shards = (sentences[sentences["text"].str.contains(word) == has] for word in ["weak"] for has in (True, False))
    values = stimuli.Values(shards, scores.sample(frac=1, random_state=0))
    bare, weak, loud = frames("weak", "loud")
    names = ["Chad", "Peru", "Chad", "Unscored"]
    np.testing.assert_array_equal(
        values.of(names, [loud, weak, loud, (TEMPLATE, "unscored")]),
        [[np.nan, -4, np.nan, np.nan], [-5, -3, -5, np.nan], [np.nan, -4, np.nan, np.nan], [np.nan] * 4],
    )
    np.testing.assert_array_equal(values.of(names, [bare])[:, 0], [-2, -1, -2, np.nan])
    assert values.n_tokens(names, [weak, (TEMPLATE, "unscored")]).tolist() == [[5, 0], [5, 0], [5, 0], [0, 0]]
    assert np.isnan(stimuli.Values([sentences], scores[:0]).of(names, [weak])).all()


def test_a_template_without_a_description_slot_has_none_to_fill():
    with pytest.raises(KeyError):
        stimuli.instantiate([("People in [place].", "weak")], ["Peru"])


def test_the_mean_of_a_description_stands_beside_the_tokens_of_its_sentence():
    scores = pd.DataFrame(
        [(1, "mean_ll", -3.0, 6), (2, "mean_ll", -2.0, 5), (2, "ll_asked", -8.0, 2), (1, "ll_asked", -9.0, 3)],
        columns=["sentence_id", "quantity", "value", "n_tokens"],
    )
    alone = stimuli.conditional(scores)[["sentence_id", "value", "n_tokens"]]
    assert alone.to_numpy().tolist() == [[2, -4, 5], [1, -3, 6]]
    assert stimuli.conditional(scores[scores["quantity"] == "mean_ll"]).empty


def test_every_kind_has_one_f_in_a_set_and_causal_models_that_of_descriptions_in_the_published_one():
    by_set = {name: stimuli.quantities(name) for name in (stimuli.SET, stimuli.WORDINGS_SET, stimuli.PADDED_SET)}
    assert by_set[stimuli.SET] == {"masked": ["aul"], "causal": ["mean_ll", "ll_asked"], "seq2seq": ["aul"]}
    assert by_set[stimuli.WORDINGS_SET] == {"masked": ["aul"], "causal": ["mean_ll"], "seq2seq": ["aul"]}
    assert by_set[stimuli.PADDED_SET] == {"masked": ["aul_padded"], "seq2seq": ["aul_padded"]}
