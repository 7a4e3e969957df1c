"""Descriptors with nouns in templates, read from files in the format of HolisticBias."""

import json

import pandas as pd
import pytest
from tests.metrics.likelihood_bias import toy
from tests.refusals import refused

from herbarium.metrics.likelihood_bias import stimuli

FILES = {
    "descriptors": {
        "size": {
            "small": ["tiny", {"descriptor": "elfin", "preference": "polarizing"}],
            "large": [{"descriptor": "XL", "article": "an"}, {"descriptor": "queenly", "gender": "female"}],
        },
        "home": {"any": ["urban", {"descriptor": "unionist", "article": "a"}]},
        "mood": {},
    },
    "nouns": {"female": [["nun", "nuns"]], "male": [["oaf", "oafs"], ["monk", "monks"]]},
    "sentence_templates": {
        "Is {noun_phrase} here?": {"first_turn_only": True},
        "No {plural_noun_phrase}!": {"must_be_noun": True},
    },
    "standalone_noun_phrases": {
        "size": [
            {"noun_phrase": "{article} {noun} with a belly", "plural_noun_phrase": "{article} {noun} with bellies"},
            {"noun_phrase": "a giant", "plural_noun_phrase": "giants", "preference": "dispreferred"},
        ],
        "mood": ["{article} {noun} in tears", "{article} {noun} at ease", "the {noun} nobody likes"],
    },
}


@pytest.fixture
def folder(tmp_path):
    def write(**changed):
        for name, content in (FILES | changed).items():
            (tmp_path / f"{name}.json").write_text(json.dumps(content))
        return tmp_path

    return write


def article(word):
    return "an" if word[0].lower() in ["a", "e", "i", "o", "u"] else "a"


def transcribed():
    """(axis, descriptor, template, noun, text), one after the other: noun phrases in the singular and the plural as in
    Section 2 of the paper and the authors' files, then templates; with a noun, and without descriptors of a gender."""
    nouns = [noun for of_gender in FILES["nouns"].values() for noun in of_gender]
    phrases = []
    buckets = [(axis, bucket) for axis, named in FILES["descriptors"].items() for bucket in named.values()]
    for axis, entry in ((axis, entry) for axis, bucket in buckets for entry in bucket):
        entry = {"descriptor": entry} if isinstance(entry, str) else entry
        word = entry["descriptor"]
        before = entry.get("article", article(word))
        if "gender" not in entry:
            phrases += [(axis, word, noun, f"{before} {word} {noun}", f"{word} {plural}") for noun, plural in nouns]
    standalone = FILES["standalone_noun_phrases"].items()
    for axis, entry in ((axis, entry) for axis, entries in standalone for entry in entries):
        entry = {"noun_phrase": entry} if isinstance(entry, str) else entry
        singular = entry["noun_phrase"]
        several = entry.get("plural_noun_phrase", singular)
        word = singular.replace("{article}", "").replace("{noun}", "").lstrip()
        for noun, plural in nouns if "{noun}" in singular else ():
            one = singular.replace("{article}", article(noun)).replace("{noun}", noun)
            many = several.replace("{article}", "").replace("{noun}", plural).lstrip()
            phrases.append((axis, word, noun, one, many))
    return {
        (axis, word, template, noun, template.replace("{noun_phrase}", one).replace("{plural_noun_phrase}", many))
        for axis, word, noun, one, many in phrases
        for template in FILES["sentence_templates"]
    }


def test_the_sentences_are_those_of_the_format(folder):
    lists = stimuli.read(folder())
    table = pd.concat([stimuli.instantiate(lists, shard, 3) for shard in range(3)])
    rows = set(table[[*stimuli.CELL, "text"]].itertuples(index=False, name=None))
    assert rows == transcribed()
    assert len(table) == len(rows) == (4 + 2 + 3) * 3 * 2
    texts = set(table["text"])
    assert {"Is an XL nun here?", "Is a unionist oaf here?", "Is an elfin monk here?"} <= texts
    assert {"No oafs with bellies!", "Is an oaf with a belly here?", "No tiny nuns!"} <= texts


def test_axes_can_be_chosen_and_phrases_left_out(folder):
    assert list(stimuli.read(folder(), ["home"]).phrases) == ["home"]
    place = folder()
    assert len(stimuli.files(place)) == 4
    (place / "standalone_noun_phrases.json").unlink()
    assert len(stimuli.files(place)) == 3
    assert list(stimuli.read(place).phrases) == ["size", "home"]
    with refused("descriptors.json", "'hom'", "'home'"):
        stimuli.read(place, ["hom"])
    (place / "nouns.json").write_text("{")
    with refused("nouns.json", "JSON"):
        stimuli.read(place)
    (place / "nouns.json").unlink()
    with refused("nouns.json"):
        stimuli.read(place)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"nouns": []}, ("nouns.json",)),
        ({"nouns": {"any": ["man"]}}, ("nouns.json", "'any'", "'man'")),
        ({"nouns": {"any": [["oaf", "oafs"], ["oaf", "oaves"]]}}, ("nouns.json", "'oaf'")),
        ({"descriptors": {"size": ["tiny"]}}, ("descriptors.json", "'size'")),
        ({"descriptors": {"size": {"small": [{"word": "tiny"}]}}}, ("descriptors.json", None, "'descriptor'")),
        ({"descriptors": {"home": {"any": ["urban"]}}}, ("descriptors.json", None, "'home'", "'urban'")),
        ({"descriptors": {"home": {"a": ["urban"], "b": ["urban"]}}}, ("descriptors.json", None, "'urban'")),
        ({"sentence_templates": {"It rains.": {}}}, ("sentence_templates.json", "'It rains.'", "{noun_phrase}")),
        ({"sentence_templates": {"{noun_phrase} is {noun}.": {}}}, ("sentence_templates.json", "{plural_noun_phrase}")),
        ({"standalone_noun_phrases": {"mood": ["{noun} in {x}"]}}, ("standalone_noun_phrases.json", None, "{noun}")),
    ],
)
def test_a_fault_is_told_with_its_file_and_entry(folder, changed, told):
    place, *facts = told
    with refused(place, *filter(None, facts)):
        stimuli.read(folder(**changed))


def test_an_observation_is_minus_the_mean_of_a_token():
    table = toy.sentences()
    scores = toy.scores()
    scores.loc[0, ["value", "note"]] = [None, "refused: x"]
    same = scores.index[table[["axis", "template", "noun"]].eq(table.loc[40, ["axis", "template", "noun"]]).all(axis=1)]
    scores.loc[same[:2], "given"] = -1  # two descriptors that a tokenizer does not tell apart
    observations = stimuli.observe(table, scores)
    assert observations["note"].notna().sum() == 3
    assert observations["value"].isna().sum() == 3
    known = observations["value"].notna()
    assert observations.loc[known, "value"].tolist() == pytest.approx((-scores["value"] / scores["n_tokens"])[known])
