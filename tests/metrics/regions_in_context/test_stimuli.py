import numpy as np
import pandas as pd
import pytest
from tests.refusals import refused

from herbarium.metrics.regions_in_context import stimuli
from herbarium.regions import leans, levels

REGIONS = pd.DataFrame(
    [
        ("earth", None, "earth", "the Earth", None),
        ("continent:SA", "earth", "continent", "South America", None),
        ("country:PE", "continent:SA", "country", "Peru", "PE"),
        ("country:BO", "continent:SA", "country", "Bolivia", "BO"),
        ("country:CL", "continent:SA", "country", "Chile", "CL"),
    ],
    columns=["region", "parent", "level", "name", "iso2"],
)
COUNTRIES = levels.countries(REGIONS)
TEMPLATES = {"one": "People in [region] are [description].", "two": "Are people in [region] [description]?"}
WORDS = ["wise", "poor"]
TOPICS = {"wise": "mind", "poor": "money"}


def laid_out(word=None, stereotypes=None, templates=TEMPLATES):
    return stimuli.instantiate(templates, TOPICS, COUNTRIES, stereotypes, word)


def test_every_template_description_and_country_in_this_order():
    words, design = laid_out()
    assert words["text"].tolist()[:4] == [
        "People in Peru are wise.",
        "People in Bolivia are wise.",
        "People in Chile are wise.",
        "People in Peru are poor.",
    ]
    assert [text[start:end] for text, start, end in words[["text", "start", "end"]].to_numpy()] == [
        *["wise"] * 3,
        *["poor"] * 3,
    ] * 2
    assert design.iloc[[0, -1]][["template", "description", "region"]].to_numpy().tolist() == [
        ["one", "wise", "country:PE"],
        ["two", "poor", "country:CL"],
    ]
    assert design["stereotype"].isna().all()
    assert design["topic"].tolist() == [*["mind"] * 3, *["money"] * 3] * 2
    assert set(design["continent"]) == {"continent:SA"}


def test_the_vector_of_a_word_of_the_templates():
    words, _ = laid_out("people")
    assert {text[start:end] for text, start, end in words[["text", "start", "end"]].to_numpy()} == {"People", "people"}
    assert words.loc[6, "start"] == 4


def test_a_word_is_looked_for_in_the_template_and_not_in_what_fills_it():
    templates = {"one": "The poor of [region] are [description]."}
    words, _ = laid_out("poor", templates=templates)
    assert set(words["start"]) == {4}
    with refused("word", "'wise'", "The poor of Peru are wise"):
        laid_out("wise", templates=templates)
    with refused("word", "'region'"):
        laid_out("region")


@pytest.mark.parametrize(
    ("template", "word", "sees"),
    [
        ("People in [region] are [description].", None, True),
        ("People in [region] are [description].", "people", False),
        ("[description] people are in [region].", None, False),
        ("[region] has people [description].", "people", True),
    ],
)
def test_what_a_reader_from_left_to_right_has_met(template, word, sees):
    assert stimuli.sees_region(template, word) is sees


def test_stereotypes_stand_beside_their_sentences():
    stereotypes = np.arange(6.0).reshape(2, 3)
    _, design = laid_out(stereotypes=stereotypes)
    assert design["stereotype"].tolist() == [0, 1, 2, 3, 4, 5] * 2


def test_listed_stereotypes_are_one_and_others_none():
    listed = pd.DataFrame([("country:BO", "poor"), ("country:PE", "wise")], columns=["region", "description"])
    np.testing.assert_array_equal(stimuli.listed(listed, COUNTRIES, WORDS), [[1, 0, 0], [0, 1, 0]])


def test_planted_stereotypes_are_those_of_the_texts_whichever_countries_are_named():
    of_all = leans.affinities(REGIONS, WORDS, 3)
    np.testing.assert_array_equal(stimuli.planted(REGIONS, COUNTRIES.iloc[[2, 0]], WORDS, 3), of_all[[4, 2]].T)


def test_at_most_so_many_countries_the_same_each_time():
    once, again = (stimuli.chosen(COUNTRIES, None, 2, "few", 3) for _ in range(2))
    pd.testing.assert_frame_equal(once, again)
    assert len(once) == 2
    assert stimuli.chosen(COUNTRIES, None, 3, "few", 3)["region"].tolist() == COUNTRIES["region"].tolist()
    by_name = {tuple(stimuli.chosen(COUNTRIES, None, 1, name, 3)["region"]) for name in "abcdefgh"}
    assert len(by_name) > 1


def test_countries_without_a_listed_stereotype_are_not_named():
    listed = pd.DataFrame([("country:CL", "poor")], columns=["region", "description"])
    assert stimuli.chosen(COUNTRIES, listed, 3, "few", 3)["region"].tolist() == ["country:CL"]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (
            ("country:PU", "poor"),
            ("'country:PU'", "'country:PE'"),
        ),
        (("continent:SA", "poor"), ("'continent:SA'",)),
        (("country:PE", "por"), ("'por'", "'poor'")),
    ],
)
def test_a_stereotype_of_what_is_not_measured_is_told(row, fault):
    listed = pd.DataFrame([("country:PE", "wise"), row], columns=["region", "description"])
    with refused("stereotypes, row 2", *fault):
        stimuli.check_stereotypes(listed, "region", list(COUNTRIES["region"]), "unknown")
        stimuli.check_stereotypes(listed, "description", WORDS, "unknown")


def test_an_empty_cell_is_told(tmp_path):
    (tmp_path / "s.csv").write_text("region,description\ncountry:PE,wise\ncountry:PE,\n")
    with refused("s.csv, row 2", "''", "'description'"):
        stimuli.read_stereotypes(tmp_path / "s.csv")
