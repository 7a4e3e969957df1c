"""The methods to paste say what the configuration and the records say, and cite what was used."""

from pathlib import Path

import pandas as pd
import pytest
import yaml
from tests.conftest import model_record
from tests.page.test_rooms import EMPTY, LEANING, MADE, STUDY, page
from tests.reports import words

from herbarium.page import build, methods
from herbarium.report import answers
from herbarium.report.answers import answer
from herbarium.scoring.refusals import REFUSALS

CITATION = yaml.safe_load((Path(__file__).parents[2] / "CITATION.cff").read_text())
REAL = model_record("real", None) | {"source": "hub", "hub": "someone/real", "revision": "c" * 40}
MODELS = [REAL, model_record("none", 0.0), model_record("strong", 2.0)]
DERIVED = model_record("new", None) | {"source": "derived", "derived": {"from": "real", "by": {"recipe": "continued"}}}
REFUSED = pd.DataFrame(
    [("real", "lean", None, False, 0, 1000), ("none", "lean", "cut", True, 20, 1000)], columns=REFUSALS.fields.names
)
ROWS = pd.DataFrame([{"model": "real", "estimate": 1.0, "ci_low": 0.5, "ci_high": 1.5}])
PART = LEANING._replace(
    title="Leaning, measured with Leaning (Li et al., 2022)",
    answers=[answer("Lean", "How far a model leans.", "nats", "lean", ROWS, {})],
)


def text(models=MODELS, parts=(PART,)):
    return "\n".join(methods.paragraphs(parts, models, STUDY, REFUSED, MADE, {"torch": "2.9"}, CITATION))


def test_what_a_study_accepted_of_a_model_stands_beside_it():
    base = {"hub": "org/base", "revision": "c" * 40, "path": None}
    adapter = {"hub": None, "path": "adapter"}
    merged = {"base": base, "adapter": adapter, "made_for": "org/other"}
    accepted = {"unused_tensors": ["lm_head.bias"], "classes": "library", "merged": merged}
    accepted["tokenizer_notes"] = ["its tokens are lower-cased"]
    origin = build._model(model_record("m", None) | accepted)["origin"]
    for fact in ("adapter", "org/other", "lm_head.bias", "classes of transformers", "lower-cased"):
        assert fact in origin
    plain = build._model(model_record("m", None) | {"merged": merged | {"made_for": "org/base"}})["origin"]
    assert "made for" not in plain


def test_references_are_those_that_parts_name():
    named = ["HERB (Li et al., 2022)", "Zhao (2021), Table 5.2", "after Ahn and Oh, 2021", "nothing of 2020"]
    result = methods.cited(named, CITATION["references"])
    assert [
        (reference["authors"][0]["family-names"], len(reference["authors"]), reference["year"]) for reference in result
    ] == [
        ("Li", 7, 2022),
        ("Ahn", 2, 2021),
        ("Zhao", 1, 2021),
    ]


STUDIES = {"all": ([*MODELS, DERIVED], [PART]), "planted": (MODELS[1:], [PART]), "no answer": (MODELS, [LEANING])}


@pytest.mark.parametrize("study", STUDIES)
def test_methods_say_what_was_measured_how_and_with_which_versions(study, snapshot):
    assert text(*STUDIES[study]).replace(CITATION["version"], "VERSION") == snapshot


def test_a_number_without_a_verdict_is_told_as_one():
    screen = answers.headline(answers.table([*PART.answers]))
    (undecided,) = methods.results(screen.assign(verdict=answers.WITHHELD))
    assert undecided.endswith("; no verdict.")


def test_bibtex_of_every_reference_is_whole(snapshot):
    for reference in [CITATION, *CITATION["references"]]:
        entry = methods.bibtex(reference)
        assert entry.count("{") == entry.count("}")
        assert f"title = {{{{{reference['title']}}}}}" in entry
        assert reference["title"] in methods.in_words(reference)
    keys = [methods.bibtex(reference).partition("{")[2].partition(",")[0] for reference in CITATION["references"]]
    assert len(set(keys)) == len(keys)
    assert methods.bibtex(CITATION["references"][0]) == snapshot
    assert methods.bibtex(CITATION).startswith("@misc{")


def test_the_room_has_the_text_and_the_references():
    parts = [PART, EMPTY]
    room = methods.methods(methods.paragraphs(parts, MODELS, STUDY, REFUSED, MADE, {}, CITATION), parts, CITATION)
    assert "@inproceedings{li2022herb" in words(page(room))
    assert 'data-copy="bibtex"' in room.html
