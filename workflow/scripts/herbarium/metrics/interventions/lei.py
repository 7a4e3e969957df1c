"""Questions in the form of the authors' files (allenai/ethical-interventions): `*_squad.json`.

Each key, `buddhist|muslim|1|success|should be rejected|…|ethical_success-3`, has two contexts, one beginning with each
subject, and for each the question and its opposite, after an intervention. Every answer has the start probability of
its first token and the end probability of its last one, by RoBERTa-large trained on SQuAD.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from herbarium.core.errors import HerbariumError
from herbarium.core.resources import read_text
from herbarium.metrics.interventions.stimuli import KEYS, NONE, TYPES, Context, Question

# A name in place of [subject] is a whole answer, for any subjects: people, religions.
_ANSWER = "[subject]."
# The question itself, after the intervention.
_PROPER = re.compile(r"(?:.*[.!?]\s+)?([^.!?]+\?)")


def read(path: str | Path) -> list[tuple[Question, np.ndarray]]:
    """The questions with an intervention, each with its stored probabilities, natural logarithms of sqrt(p_start ·
    p_end), (*score.SCORES_SHAPE), without the keys of `unlike`. Raises HerbariumError, with file and key."""
    alike = {key: both for key, both in _by_key(path).items() if not _is_unlike(both)}
    if not alike:
        raise HerbariumError(f"{path}: it has no questions that are the same in both contexts.")
    asked_questions = []
    for key, both in alike.items():
        try:
            asked_questions.append(_question(key, both))
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise HerbariumError(
                f"{path}: the key '{key}' does not have two contexts, with two questions and the subjects as their "
                f"answers each ({error!r})."
            ) from error
    return asked_questions


def unlike(path: str | Path) -> list[str]:
    """The keys whose two contexts have different questions, so that subjects cannot be compared: 23 of 1,200 in the
    authors' file on ethnicity, whose interventions differ in their wording."""
    return [key for key, both in _by_key(path).items() if _is_unlike(both)]


def _is_unlike(paragraphs: list[dict]) -> bool:
    return len(paragraphs) == 2 and _asked(paragraphs[0]) != _asked(paragraphs[1])


def _asked(paragraph: dict) -> list[object]:
    questions = paragraph.get("qas")
    return [one.get("question") for one in questions if isinstance(one, dict)] if isinstance(questions, list) else []


def _by_key(path: str | Path) -> dict[str, list[dict]]:
    """The paragraphs of each key of a file. Raises HerbariumError if it is not one of the authors'."""
    try:
        data = json.loads(read_text(path))["data"]
        paragraphs = [paragraph for document in data for paragraph in document["paragraphs"]]
        by_key: dict[str, list] = {}
        for paragraph in paragraphs:
            by_key.setdefault(paragraph["key"], []).append(paragraph)
    except (ValueError, KeyError, TypeError) as error:
        raise HerbariumError(
            f"{path}: not a file of ethical interventions, with 'data' and 'key' ({error!r})."
        ) from error
    if not by_key:
        raise HerbariumError(f"{path}: it has no questions.")
    return by_key


def _question(key: str, paragraphs: list[dict]) -> tuple[Question, np.ndarray]:
    first, second, template, category, attribute, _, intervention = key.split("|")
    type_ = intervention.partition("_")[0]
    if type_ not in TYPES:
        raise ValueError(f"the type '{type_}'")
    by_first = {paragraph["qas"][0]["answers"][0]["text"].lower(): paragraph for paragraph in paragraphs}
    ordered = [by_first[first], by_first[second]]  # KeyError: no context begins with it
    contexts, stored = [], np.empty((2, 2, 2))
    for order, paragraph in enumerate(ordered):
        starts = {}
        for polarity, asked in enumerate(paragraph["qas"]):
            for answer in asked["answers"]:
                subject = (first, second).index(answer["text"].lower())
                starts[subject] = answer["answer_start"]
                begin, end = answer["start-end-score"]
                stored[subject, order, polarity] = np.log(begin * end) / 2
        contexts.append(Context(paragraph["context"], starts[0], starts[1]))
    names = tuple(
        ordered[0]["context"][start : start + len(subject)]
        for subject, start in zip((first, second), contexts[0][1:], strict=True)
    )
    if tuple(name.lower() for name in names) != (first, second):
        raise ValueError("an answer is not in its stated position")
    questions = [tuple(question["question"] for question in paragraph["qas"]) for paragraph in ordered]
    if questions[0] != questions[1] or len(questions[0]) != 2:
        raise ValueError("the contexts have different questions")
    values = dict.fromkeys(KEYS, "") | {"type": type_, "intervention": intervention, "category": category}
    values |= {"attribute": attribute, "template": template, "first": names[0], "second": names[1]}
    question = Question(tuple(values.values()), names, tuple(contexts), questions[0], _ANSWER)
    return question, stored


def questions(path: str | Path) -> Iterator[Question]:
    """Every question of a file, with its intervention and, once, without one."""
    seen = set()
    for question, _ in read(path):
        yield question
        bare = without(question)
        if bare.values not in seen:
            seen.add(bare.values)
            yield bare


def without(question: Question) -> Question:
    """A question without its intervention."""
    values = dict(zip(KEYS, question.values, strict=True)) | {"type": NONE, "intervention": ""}
    proper = []
    for text in question.questions:
        match = _PROPER.fullmatch(text.strip())
        if match is None:
            raise HerbariumError(f"'{text}' does not end with one question after the intervention.")
        proper.append(match[1].strip())
    return question._replace(values=tuple(values.values()), questions=tuple(proper))


def stored(path: str | Path) -> tuple[pd.DataFrame, np.ndarray]:
    """The keys of a file's questions (`stimuli.KEYS`), and the stored log S, (n, *score.SCORES_SHAPE)."""
    stored_questions = read(path)
    questions_table = pd.DataFrame([question.values for question, _ in stored_questions], columns=KEYS)
    return questions_table, np.stack([array for _, array in stored_questions])
