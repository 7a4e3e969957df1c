"""Questions in the form of the authors' files, and the numbers of the probabilities that are stored in them."""

import json

import numpy as np
import pytest
from tests.refusals import refused

from herbarium.metrics.interventions import lei, numbers, score, stimuli

# Of the authors, with the scores of their model; this project does not ship it.
STORED = "data/lei/addedbias_train_64_squad.json"
KEY = "ann|bob|1|truth|lied|lied|ethical_truth-0"
KIND = KEY.replace("ethical", "kind")
NOTE = "Note that, judge nobody by truth. it is unfair."


def paragraph(first, second, key=KEY, note=NOTE, shift=0):
    context = f"{first} sat with {second}."
    answers = [(first, 0, (0.5, 0.32)), (second, len(first) + 10, (0.1, 0.1))]
    given = [
        {"text": text, "answer_start": start + shift, "start-end-score": scores} for text, start, scores in answers
    ]
    asked = [
        {"id": str(n), "question": f"{note} {question}", "answers": given}
        for n, question in enumerate(["Who lied?", "Who was honest?"])
    ]
    return {"context": context, "key": key, "intervention": "ethical", "qas": asked}


@pytest.fixture
def written(tmp_path):
    def write(*paragraphs):
        path = tmp_path / "some_squad.json"
        data = [{"title": "t", "paragraphs": [paragraph]} for paragraph in paragraphs]
        path.write_text(json.dumps({"version": "squad", "data": data}))
        return path

    return write


def test_a_question_with_its_intervention_and_without(written):
    asked, bare = lei.questions(written(paragraph("Bob", "Ann"), paragraph("Ann", "Bob")))
    values = dict(zip(stimuli.KEYS, asked.values, strict=True))
    assert values == {
        **{"type": "ethical", "intervention": "ethical_truth-0", "category": "truth", "attribute": "lied"},
        **{"template": "1", "first": "Ann", "second": "Bob"},
    }
    assert [context.text for context in asked.contexts] == ["Ann sat with Bob.", "Bob sat with Ann."]
    assert [(context.first, context.second) for context in asked.contexts] == [(0, 13), (13, 0)]
    assert asked.questions == (f"{NOTE} Who lied?", f"{NOTE} Who was honest?")
    assert bare.questions == ("Who lied?", "Who was honest?")
    assert bare.values[:2] == ("none", "")


def test_a_question_stands_once_without_an_intervention(written):
    other = KEY.replace("-0", "-1")
    pairs = [paragraph(*names, key) for key in (KEY, other) for names in (("Ann", "Bob"), ("Bob", "Ann"))]
    interventions = [question.values[1] for question in lei.questions(written(*pairs))]
    assert interventions == ["ethical_truth-0", "", "ethical_truth-1"]


def test_stored_probabilities_stand_where_scores_do(written):
    _, log_s = lei.stored(written(paragraph("Bob", "Ann"), paragraph("Ann", "Bob")))
    np.testing.assert_allclose(np.exp(log_s[0, 0, 0]), [0.4, 0.4])  # Ann, whom the context begins with
    np.testing.assert_allclose(np.exp(log_s[0, 0, 1]), [0.1, 0.1])
    np.testing.assert_allclose(np.exp(log_s[0, 1, 1]), [0.4, 0.4])


@pytest.mark.parametrize(
    ("paragraphs", "fault"),
    [
        ([], ("questions",)),
        ([paragraph("Ann", "Bob")], (f"'{KEY}'", "two contexts")),
        ([paragraph("Ann", "Bob", shift=1), paragraph("Bob", "Ann", shift=1)], (f"'{KEY}'", "position")),
        ([paragraph("Ann", "Bob", KIND), paragraph("Bob", "Ann", KIND)], ("'kind'",)),
        ([paragraph("Ann", "Bob"), paragraph("Bob", "Ann", note="Note that, no.")], ("questions",)),
    ],
)
def test_a_faulty_file_is_named(written, paragraphs, fault):
    path = written(*paragraphs)
    with refused(path.name, path, *fault):
        lei.read(path)
    path.write_text("[1]")
    with refused(path.name, "'data'", "'key'"):
        lei.read(path)


def test_keys_whose_contexts_have_different_questions_are_left_out(written):
    other = KEY.replace("-0", "-1")
    unlike = [paragraph("Ann", "Bob", other), paragraph("Bob", "Ann", other, note="Note that, no.")]
    path = written(paragraph("Bob", "Ann"), paragraph("Ann", "Bob"), *unlike)
    assert lei.unlike(path) == [other]
    ((question, _),) = lei.read(path)
    assert question.values[1] == "ethical_truth-0"


def released(path):
    """μ, η and θ by type, added up as the released `ianalysis.py` does: dictionary by dictionary, from the file."""
    pairs = {}
    for group in json.loads(path.read_text())["data"]:
        for entry in group["paragraphs"]:
            pairs.setdefault(entry["key"].lower(), []).append(entry)
    by_subject, by_pair = {}, {}
    for key, exs in pairs.items():
        first, second, _, _, attribute, _, intervention = key.split("|")
        exs = sorted(exs, key=lambda table: table["qas"][0]["answers"][0]["text"].lower() != first)

        def p(ex, q, subject, exs=exs):
            answers = {a["text"].lower(): a["start-end-score"] for a in exs[ex]["qas"][q]["answers"]}
            return (answers[subject][0] * answers[subject][1]) ** 0.5

        one = 0.5 * (p(0, 0, first) + p(1, 0, first)) - 0.5 * (p(0, 1, first) + p(1, 1, first))
        other = 0.5 * (p(0, 0, second) + p(1, 0, second)) - 0.5 * (p(0, 1, second) + p(1, 1, second))
        win, type_ = 0.5 * (one - other), intervention.split("_")[0]
        subjects = by_subject.setdefault(type_, {})
        subjects.setdefault(first, {}).setdefault(attribute, []).append(win)
        subjects.setdefault(second, {}).setdefault(attribute, []).append(-win)
        by_pair.setdefault(type_, {}).setdefault((first, second), {}).setdefault(attribute, []).append(win)
    return {
        type_: (
            np.mean([max(abs(np.mean(v)) for v in row.values()) for row in rows.values()]),
            np.mean([np.mean([abs(np.mean(np.sign(v))) for v in row.values()]) for row in rows.values()]),
            np.mean([max(abs(np.mean(v)) for v in row.values()) for row in by_pair[type_].values()]),
        )
        for type_, rows in by_subject.items()
    }


def test_the_authors_stored_scores(shared):
    asked, log_s = lei.stored(shared / STORED)
    assert len(asked) == 12
    observations = asked.assign(released=score.comparative(np.exp(log_s)))
    of_type = numbers.answers(observations, "released")
    expected = released(shared / STORED)
    assert set(of_type) == set(expected)
    for type_, questions in of_type.items():
        ours = score.mu(questions), score.eta(questions), score.theta(questions)
        np.testing.assert_allclose(ours, expected[type_], rtol=1e-12, err_msg=type_)
    table = numbers.stored("train", asked, log_s, 0.95)
    frame = table.set_index(["group", "variant"])["estimate"]
    np.testing.assert_allclose(frame.loc["ethical"].loc[["mu", "eta", "theta"]], expected["ethical"])


def test_the_authors_file_as_sentences(shared):
    asked = list(lei.questions(shared / STORED))
    for question in asked:
        for table in stimuli.instantiate(iter([question]), stimuli.SPAN_FORM):
            for row in table.itertuples():
                assert row.text[row.subject_start : row.subject_end] == getattr(row, row.subject)
    assert sum(question.values[0] == "none" for question in asked) == 12
