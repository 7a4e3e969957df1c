"""The map of languages, and what the part of the page says of a pivot."""

import numpy as np
from tests.metrics.examples import part_of
from tests.metrics.languages.example import SPACE, measured_space
from tests.metrics.languages.toy import LISTS

from herbarium.metrics.languages.figures import map as of_map
from herbarium.metrics.languages.numbers import ARROW


def test_the_effect_of_the_alignment_alone_is_held_against_that_of_a_pivot():
    text = " ".join(part_of("languages").overview.split())
    assert text.count("from the effect of RCSLS alone") == 1
    assert "114 of 114 pairs" in part_of("languages").html


def test_the_map_has_each_form_once_on_its_side():
    _, _, spaces, aligned = measured_space()
    places = of_map.table(SPACE, LISTS, spaces, aligned)
    assert not places.duplicated(["language", "word"]).any()
    sides = places.groupby(["language", "form"])["gender"].mean()
    for language in ("english", "spanish"):
        assert sides[language, "masculine"] > sides[language, "both"] > sides[language, "feminine"]
    assert np.abs(np.corrcoef(places["gender"], places["other"])[0, 1]) < 0.5
    assert of_map.figure(places).axes[0].get_title(loc="left") == f"{SPACE}: spanish{ARROW}english"
    (panel,) = of_map.panels(places)
    assert sum(len(trace["x"]) for trace in panel["data"]) == len(places)
    empty = of_map.table(SPACE, LISTS, spaces, {})  # what was not moved has no map
    assert of_map.describe(empty) == of_map.EMPTY
