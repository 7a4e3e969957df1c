"""Underspecified questions between two subjects, with and without an intervention (Zhao 2021, Chapter 6).

A folder of lists has

- templates.csv: `key`; `context`, with [first] and [second]; `answer`, the sentence that names [subject];
- questions.csv: `key` (the attribute), `category`, `question`, and `negated`, the question of the opposite;
- interventions.csv: `key`, `type` of `TYPES`, `category` (empty: all), `text`;
- subjects.txt: the subjects, one per line.

Every pair of subjects occurs in every template, with every question, without an intervention and after each one of its
category.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core import resources
from herbarium.core.errors import HerbariumError
from herbarium.core.random import stream
from herbarium.core.store import schema
from herbarium.models.kinds import Kind
from herbarium.scoring.quantities import ASKED, LL, QUESTION, SLOT, SPAN, SPAN_RELEASED
from herbarium.scoring.sentences import sentence_id

NONE = "none"
TYPES = (ETHICAL, ADVERSARIAL, IRRELEVANT) = ("ethical", "adversarial", "irrelevant")
# The task of a model: to fill in the subject of an answer, or to find it in the context.
FORMS = (FILL, SPAN_FORM) = ("fill", "span")
# For each form, the quantities of each kind of model.
QUANTITIES: dict[str, dict[Kind, list[str]]] = {
    FILL: {Kind.masked: [SLOT], Kind.causal: [LL]},
    SPAN_FORM: {Kind.extractive: [SPAN, SPAN_RELEASED]},
}
ROLES = {FILL: {"subject": ASKED}, SPAN_FORM: {"subject": ASKED, "question": QUESTION}}
# Words around a subject that the released code takes as part of the answer, for `scoring.asked.around`: phrases before
# it, with the alternatives of each word, and words behind it (`improve_prediction` of UnQover).
AROUND = {
    "before": [
        [["an", "a", "the", "some", "few", "several"]],
        [["a"], ["group", "team", "couple"], ["of"]],
    ],
    "behind": [
        *("man", "woman", "boy", "girl", "child", "kid", "person", "folk", "people", "couple"),
        *("men", "women", "boys", "girls", "children", "kids", "persons", "folks"),
        *("city", "country", "cities", "countries", "."),
    ],
}
ORDERS = SUBJECTS = ("first", "second")
POLARITIES = ("affirmed", "negated")
# The keys of a question.
KEYS = ["type", "intervention", "category", "attribute", "template", "first", "second"]
# One row per sentence. The eight of a question are consecutive: by the subject that is scored, the one with which the
# context begins, and whether the question is negated, as in `score.SCORES_SHAPE`. Spans are characters of `text`, end
# exclusive.
STIMULI = schema(
    "interventions_stimuli",
    ("sentence_id", pa.int64()),
    ("text", pa.string()),
    *((name, pa.string()) for name in (*KEYS, "subject", "order", "polarity")),
    *((f"{slot}_{bound}", pa.int32()) for slot in ("subject", "question") for bound in ("start", "end")),
    nullable=("question_start", "question_end"),
)
_FILES = {
    "templates": ["key", "context", "answer"],
    "questions": ["key", "category", "question", "negated"],
    "interventions": ["key", "type", "category", "text"],
}
_SUBJECTS = "subjects.txt"
_LEAD = "Note that, "  # of the released code
_MARKED = re.compile(r"\[([^\]]+)\]\s*(?:[^|]*\|)?\s*(.+)")  # of a list of the authors: its mark, and the word


class Context(NamedTuple):
    """A context, and the characters at which the names of the subjects begin."""

    text: str
    first: int
    second: int


class Question(NamedTuple):
    """A question between two subjects. values: of `KEYS`. subjects: both. contexts: one that begins with each.
    questions: affirmed and negated, with the intervention before them. answer: with [subject]."""

    values: tuple[str, ...]
    subjects: tuple[str, str]
    contexts: tuple[Context, Context]
    questions: tuple[str, str]
    answer: str


class Lists(NamedTuple):
    """The lists of a folder, text in every cell."""

    templates: pd.DataFrame
    questions: pd.DataFrame
    interventions: pd.DataFrame
    subjects: list[str]


def files(folder: str | Path) -> list[Path]:
    """The files of a folder of lists but its subjects."""
    return [Path(folder, f"{name}.csv") for name in _FILES]


def subjects_in(folder: str | Path) -> Path:
    return Path(folder, _SUBJECTS)


def read(folder: str | Path, subjects: Sequence[str] | None = None) -> Lists:
    """The lists of a folder. subjects: instead of its own.

    Raises HerbariumError, with file and row, for a missing column, cell or slot, a repeated key, an unknown type or
    category, and a category that lacks a type of others.
    """
    paths = dict(zip(_FILES, files(folder), strict=True))
    tables = {name: resources.read_text_table(path, _FILES[name]) for name, path in paths.items()}
    for name, table in tables.items():
        needed = [column for column in _FILES[name] if (name, column) != ("interventions", "category")]
        resources.check_cells(paths[name], table, needed)
        resources.check_distinct(paths[name], table["key"])
    for column, wanted in (("context", ["first", "second"]), ("answer", ["subject"])):
        for row, text in enumerate(tables["templates"][column], start=1):
            if sorted(resources.slots(text)) != wanted:
                slots = " and ".join(f"[{slot}]" for slot in wanted)
                raise HerbariumError(f"{paths['templates']}, row {row}, column '{column}': it must have {slots} once.")
    _check_interventions(paths["interventions"], tables["interventions"], set(tables["questions"]["category"]))
    return Lists(**tables, subjects=list(subjects or read_subjects(subjects_in(folder))))


def _check_interventions(path: Path, table: pd.DataFrame, categories: set[str]) -> None:
    for row, (type_, category) in enumerate(zip(table["type"], table["category"], strict=True), start=1):
        for column, value, valid in (("type", type_, TYPES), ("category", category, {"", *categories})):
            if value not in valid:
                known = ", ".join(sorted(filter(None, valid)))
                raise HerbariumError(f"{path}, row {row}, column '{column}': '{value}'; valid: {known}.")
    for type_, rows in table.groupby("type"):
        if lacking := categories - set(rows["category"]) if "" not in set(rows["category"]) else set():
            raise HerbariumError(
                f"{path}: the category '{min(lacking)}' has no intervention of the type '{type_}', which others have; "
                "types would be compared on different questions."
            )


def read_subjects(path: str | Path, mark: str = "subj") -> list[str]:
    """The subjects of a list, one per line; of the authors' form (`[subj:dem] Danish`, `[subj] male | John`) those with
    the mark. Raises HerbariumError if there are fewer than two."""
    names = []
    for _, line in resources.lines(path):
        if line.strip():
            marked = _MARKED.fullmatch(line.strip())
            if marked is None or marked[1] == mark:
                names.append(marked[2] if marked else line.strip())
    resources.check_distinct(path, pd.Series(names, dtype=object))
    if len(names) < 2:
        raise HerbariumError(f"{path}: {len(names)} subjects; a question needs two.")
    return names


def questions(lists: Lists, max_pairs: int | None, seed: int) -> Iterator[Question]:
    """Every question of some lists. max_pairs: the largest number of pairs of subjects, a random sample; None for
    all."""
    pairs = list(combinations(sorted(lists.subjects), 2))
    if max_pairs is not None and len(pairs) > max_pairs:
        drawn = stream(seed, "interventions", "pairs").choice(len(pairs), max_pairs, replace=False)
        pairs = [pairs[place] for place in sorted(drawn)]
    behind = [(NONE, "", "", None), *lists.interventions[["type", "key", "category", "text"]].itertuples(index=False)]
    for template in lists.templates.itertuples():
        for pair in pairs:
            contexts = tuple(_context(template.context, pair, begins) for begins in (0, 1))
            for question_row in lists.questions.itertuples():
                for type_, key, category, text in behind:
                    if category in ("", question_row.category):
                        values = (type_, key, question_row.category, question_row.key, template.key, *pair)
                        both = tuple(
                            introduced(text, question) for question in (question_row.question, question_row.negated)
                        )
                        yield Question(values, pair, contexts, both, template.answer)


def _context(template: str, pair: tuple[str, str], begins: int) -> Context:
    """The context that begins with one of the pair: with the first (0) or the second (1)."""
    text, spans = resources.fill(template, first=pair[begins], second=pair[1 - begins])
    starts = [spans["first"][0], spans["second"][0]]
    return Context(text, starts[begins], starts[1 - begins])


def introduced(intervention: str | None, question: str) -> str:
    """A question after an intervention, as in the released code; the thesis appends it to the context, whose end it is
    in either case. None for none."""
    return (
        question if intervention is None else f"{_LEAD}{intervention[0].lower()}{intervention[1:].strip()} {question}"
    )


def instantiate(question_stream: Iterator[Question], form: str) -> Iterator[pd.DataFrame]:
    """Tables of the schema "interventions_stimuli", of a few thousand sentences each. form: of `FORMS`."""
    make, rows = {FILL: _filled, SPAN_FORM: _found}[form], []
    for question in question_stream:
        rows += [
            (
                *make(question, subject, order, polarity),
                *(*question.values, SUBJECTS[subject], ORDERS[order], POLARITIES[polarity]),
            )
            for subject, order, polarity in np.ndindex(2, 2, 2)
        ]
        if len(rows) > 20_000:
            yield _table(rows)
            rows = []
    if rows:
        yield _table(rows)


def _table(rows: list[tuple]) -> pd.DataFrame:
    spans = ["subject_start", "subject_end", "question_start", "question_end"]
    columns = ["text", *spans, *KEYS, "subject", "order", "polarity"]
    table = pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(spans, "Int32"))
    # the same text may be scored for other words
    places = zip(table["text"], table["subject_start"], table["subject_end"], strict=True)
    ids = [sentence_id("\x1f".join(map(str, place))) for place in places]
    return table.assign(sentence_id=ids)[STIMULI.fields.names]


def _filled(question: Question, subject: int, order: int, polarity: int) -> tuple:
    """Context, question and an answer that names a subject: the text, and the position of the name."""
    before = f"{question.contexts[order].text} {question.questions[polarity]} "
    answer, spans = resources.fill(question.answer, subject=question.subjects[subject])
    start, end = (len(before) + bound for bound in spans["subject"])
    return before + answer, start, end, None, None


def _found(question: Question, subject: int, order: int, polarity: int) -> tuple:
    """Question and context: the text, and the positions of the subject's name in the context and of the question."""
    question_text, context = question.questions[polarity], question.contexts[order]
    start = len(question_text) + 1 + context[1 + subject]
    return f"{question_text} {context.text}", start, start + len(question.subjects[subject]), 0, len(question_text)


def log_scores(stimuli: pd.DataFrame, scores: pd.DataFrame) -> dict[str, np.ndarray]:
    """The natural logarithm of S of each question, by quantity: (n_questions, *score.SCORES_SHAPE), nan for a sentence
    that was refused.

    stimuli: of the schema "interventions_stimuli". scores: of the schema "scores", with every sentence of it.
    """
    by_quantity = {}
    for quantity, quantity_scores in scores.drop_duplicates(["sentence_id", "quantity"]).groupby(
        "quantity", sort=False
    ):
        by_quantity[quantity] = of_questions(stimuli, quantity_scores.set_index("sentence_id")["value"]).astype(float)
    return by_quantity


def asked_of(stimuli: pd.DataFrame) -> pd.DataFrame:
    """The `KEYS` of each question: one row per eight sentences."""
    return stimuli[KEYS].iloc[::8].reset_index(drop=True)


def of_questions(stimuli: pd.DataFrame, of_sentences: pd.Series) -> np.ndarray:
    """What is known of every sentence, by question: (n_questions, *score.SCORES_SHAPE). of_sentences: indexed by
    `sentence_id`."""
    return of_sentences.reindex(stimuli["sentence_id"]).to_numpy().reshape(-1, 2, 2, 2)


def types(asked: pd.DataFrame) -> list[str]:
    """The types of intervention of the questions, NONE first. asked: with `KEYS`."""
    return [question_type for question_type in (NONE, *TYPES) if asked["type"].eq(question_type).any()]
