"""Questions between two subjects, as sentences."""

import itertools

import pandas as pd
import pytest
from tests.metrics.interventions import toy
from tests.refusals import refused

from herbarium.core.resources import read_words
from herbarium.metrics.interventions import stimuli

FILES = {
    "templates.csv": "key,context,answer\ndesk,[first] sat with [second].,It was [subject].\n",
    "questions.csv": "key,category,question,negated\nlie,truth,Who lied?,Who was honest?\n",
    "interventions.csv": "key,type,category,text\ne1,ethical,,Judge nobody.\n",
    "subjects.txt": "Ann\nBob\n",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_eight_sentences_of_a_question_in_either_form(folder):
    asked = list(stimuli.questions(stimuli.read(folder), None, 0))
    (filled,), (result,) = (list(stimuli.instantiate(iter(asked[1:]), form)) for form in stimuli.FORMS)
    contexts, asks = ("Ann sat with Bob.", "Bob sat with Ann."), ("Who lied?", "Who was honest?")
    places = list(itertools.product(("Ann", "Bob"), contexts, asks))
    texts = [
        f"{context} Note that, judge nobody. {question} It was {subject}." for subject, context, question in places
    ]
    assert filled["text"].tolist() == texts
    assert result["text"].tolist() == [
        f"Note that, judge nobody. {question} {context}" for _, context, question in places
    ]
    for table in (filled, result):
        places = list(itertools.product(stimuli.SUBJECTS, stimuli.ORDERS, stimuli.POLARITIES))
        assert list(table[["subject", "order", "polarity"]].itertuples(index=False, name=None)) == places
        for row in table.itertuples():
            assert row.text[row.subject_start : row.subject_end] == {"first": "Ann", "second": "Bob"}[row.subject]
        assert table["sentence_id"].is_unique  # those of a span have one text and another subject
    assert filled["question_start"].isna().all()
    questions = [row.text[row.question_start : row.question_end] for row in result.itertuples()]
    assert questions[0] == "Note that, judge nobody. Who lied?"


def test_every_pair_in_every_template_behind_what_is_of_its_category():
    asked = stimuli.asked_of(toy.sentences())
    assert asked["type"].value_counts().to_dict() == {"none": 30, "ethical": 120, "adversarial": 120, "irrelevant": 120}
    bare = asked[asked["type"] == "none"]
    assert len(bare) == 15 * 2
    assert not bare.duplicated(["first", "second", "attribute", "template"]).any()
    english = {"format": "lists", "table": "resources/interventions/english", "subjects": None, "max_pairs": 3}
    asked = stimuli.asked_of(toy.sentences(entry=english))
    of_honesty = asked[asked["category"] == "honesty"]
    assert set(of_honesty["intervention"]) == {""} | {
        f"{item}-{category}-{n}" for item in stimuli.TYPES for category in ("honesty", "all") for n in (1, 2)
    }
    assert asked[["first", "second"]].drop_duplicates().shape[0] == 3


def test_pairs_are_drawn_by_the_seed_alone(folder):
    (folder / "subjects.txt").write_text("\n".join("ABCDEFGH"))
    lists = stimuli.read(folder)
    drawn = [[question.values for question in stimuli.questions(lists, 5, seed)] for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.parametrize(
    ("file", "old", "new", "fault"),
    [
        ("templates.csv", "with [second]", "", ("row 1", "column 'context'", "[first]", "[second]")),
        ("templates.csv", "was [subject]", "was me", ("row 1", "column 'answer'", "[subject]")),
        ("questions.csv", "negated", "negative", ("'negated'", "missing")),
        ("questions.csv", "Who was honest?", "", ("'negated'", "empty")),
        ("interventions.csv", "ethical", "nice", ("column 'type'", "'nice'", "adversarial, ethical")),
        ("interventions.csv", "ethical,", "ethical,lies", ("column 'category'", "'lies'", "truth")),
        ("subjects.txt", "Bob\n", "", ("1",)),
        ("subjects.txt", "Bob", "Ann", ("'Ann'", "twice")),
    ],
)
def test_faulty_lists_are_named_with_their_place(folder, file, old, new, fault):
    (folder / file).write_text(FILES[file].replace(old, new))
    with refused(None, file, *fault):
        stimuli.read(folder)


def test_a_category_that_lacks_a_type_is_refused(folder):
    (folder / "questions.csv").write_text(FILES["questions.csv"] + "win,games,Who won?,Who lost?\n")
    (folder / "interventions.csv").write_text("key,type,category,text\ne1,ethical,truth,Judge nobody.\n")
    with refused("interventions.csv", "'games'", "'ethical'"):
        stimuli.read(folder)


def test_lists_of_the_authors_are_read_by_their_marks(tmp_path):
    path = tmp_path / "country"
    path.write_text("# names\n\n[subj] Chile\n[subj] Mali\n\n[subj:dem] Chilean\n[subj:dem] Malian\n")
    assert stimuli.read_subjects(path) == ["Chile", "Mali"]
    assert stimuli.read_subjects(path, "subj:dem") == ["Chilean", "Malian"]
    path.write_text("[subj] male | James\n[subj] male | John")
    assert stimuli.read_subjects(path) == ["James", "John"]


def test_our_countries_are_those_whose_terms_are_swapped():
    swaps = pd.read_csv("resources/swaps/english_countries.csv", comment="#", keep_default_na=False)
    adjectives = swaps[swaps["form"] == "adjective"].drop_duplicates("region")["term"]
    assert stimuli.read_subjects("resources/interventions/countries.txt") == sorted(adjectives)
    assert set(read_words("resources/interventions/english/subjects.txt")) <= set(adjectives)
