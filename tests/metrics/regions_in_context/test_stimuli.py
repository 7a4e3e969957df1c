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
    words, design = laid_out(stereotypes=np.arange(6.0).reshape(2, 3))
    names = ("Peru", "Bolivia", "Chile")
    texts = [f"People in {name} are {word}." for word in WORDS for name in names]
    assert words["text"].tolist()[:6] == texts
    cut = [text[start:end] for text, start, end in words[["text", "start", "end"]].to_numpy()]
    assert cut == [*["wise"] * 3, *["poor"] * 3] * 2
    ends = design.iloc[[0, -1]][["template", "description", "region"]].to_numpy().tolist()
    assert ends == [["one", "wise", "country:PE"], ["two", "poor", "country:CL"]]
    assert design["stereotype"].tolist() == [0, 1, 2, 3, 4, 5] * 2
    assert laid_out()[1]["stereotype"].isna().all()
    assert design["topic"].tolist() == [*["mind"] * 3, *["money"] * 3] * 2
    assert set(design["continent"]) == {"continent:SA"}


def test_a_word_is_looked_for_in_the_template_and_not_in_what_fills_it():
    words, _ = laid_out("people")
    cut = {text[start:end] for text, start, end in words[["text", "start", "end"]].to_numpy()}
    assert cut == {"People", "people"}
    words, _ = laid_out("poor", templates={"one": "The poor of [region] are [description]."})
    assert set(words["start"]) == {4}
    with refused("word", "'wise'", "The poor of Peru are wise"):
        laid_out("wise", templates={"one": "The poor of [region] are [description]."})
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
    listed = pd.DataFrame([("country:CL", "poor")], columns=["region", "description"])
    assert stimuli.chosen(COUNTRIES, listed, 3, "few", 3)["region"].tolist() == ["country:CL"]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("country:PU,poor", ("'country:PU'", "'country:PE'")),
        ("continent:SA,poor", ("'continent:SA'",)),
        ("country:PE,por", ("'por'", "'poor'")),
        ("country:PE,", ("''", "'description'")),
    ],
)
def test_a_stereotype_of_what_is_not_measured_is_told(tmp_path, row, fault):
    (tmp_path / "s.csv").write_text(f"region,description\ncountry:PE,wise\n{row}\n")
    with refused(None, "row 2", *fault):
        listed = stimuli.read_stereotypes(tmp_path / "s.csv")
        stimuli.check_stereotypes(listed, "region", list(COUNTRIES["region"]), "unknown")
        stimuli.check_stereotypes(listed, "description", WORDS, "unknown")
