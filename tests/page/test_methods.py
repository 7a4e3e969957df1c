"""The methods to paste say what the configuration and the records say, and cite what was used."""

from pathlib import Path

import pandas as pd
import yaml
from tests.conftest import model_record
from tests.page.test_rooms import EMPTY, LEANING, MADE, STUDY, page
from tests.reports import words

from herbarium.page import methods
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


def test_models_stand_with_their_revisions_and_planted_ones_with_their_strengths():
    shown_text = text([*MODELS, DERIVED])
    assert (
        f"We measured real (someone/real, revision {'c' * 40}) and new (made from real by the recipe “continued”)."
        in shown_text
    )
    assert "As a scale, 2 small models" in shown_text
    assert "none (0), strong (2)." in shown_text
    assert "We measured" not in text(MODELS[1:])


def test_results_have_the_number_its_interval_null_and_p():
    screen = answers.headline(answers.table([*PART.answers]))
    (line,) = methods.results(screen)
    assert line.startswith("Lean, real: 1 (0.5 to 1.5) nats; without bias 0; p ")
    (undecided,) = methods.results(screen.assign(verdict=answers.WITHHELD))
    assert undecided.endswith("; no verdict.")


def test_sentences_measures_tests_and_versions_are_said():
    shown_text = text()
    assert "1,000 of lean. Of 2,000 sentences, counted separately for each model, 20 were refused" in shown_text
    assert "Lean: how far a model leans (nats; 0 without bias)." in shown_text
    assert "p-values are adjusted over all pairs of models (Benjamini and Hochberg)." in shown_text
    assert f"Herbarium {CITATION['version']} (run a1, seed 7; torch 2.9)" in shown_text
    assert "no evidence that there is no bias" in shown_text


def test_a_part_without_an_answer_has_no_paragraph():
    assert "Leaning, measured" not in text(parts=[LEANING])


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


def test_bibtex_of_every_reference_is_whole():
    for reference in [CITATION, *CITATION["references"]]:
        entry = methods.bibtex(reference)
        assert entry.count("{") == entry.count("}")
        assert f"title = {{{{{reference['title']}}}}}" in entry
        assert "author = {" in entry
        assert reference["title"] in methods.in_words(reference)
    keys = [methods.bibtex(reference).partition("{")[2].partition(",")[0] for reference in CITATION["references"]]
    assert len(set(keys)) == len(keys)
    assert methods.bibtex(CITATION["references"][0]).startswith(
        "@inproceedings{li2022herb,\n  author = {Li, Yizhi and Zhang, Ge"
    )
    assert "pages = {334--346}" in methods.bibtex(CITATION["references"][0])
    assert methods.bibtex(CITATION).startswith("@misc{")


def test_the_room_has_the_text_and_the_references():
    parts = [PART, EMPTY]
    described = methods.paragraphs(parts, MODELS, STUDY, REFUSED, MADE, {}, CITATION)
    room = methods.methods(described, parts, CITATION)
    shown_text = words(page(room))
    assert "HERB: Measuring Hierarchical Regional Bias" in shown_text
    assert "@inproceedings{li2022herb" in shown_text
    assert 'data-copy="bibtex"' in room.html
