"""Questions in the form of BBQ (Parrish et al. 2022), as released by its authors: a folder of .jsonl files, one
question per line.

A context mentions two people of different groups, and a question asks which of them did something. An ambiguous context
does not say, a disambiguated one does. A question may be negative (who is bad at maths?) or not (who is good at it?).
One of three answers is "unknown".

The biased answer is the stereotyped group in a negative question, and the other one in any other. `target_loc` in the
authors' additional_metadata.csv is that answer, whatever the question: their BBQ_results_metadata.R exchanges the two
in questions that are not negative. Without the table, the rules of that script find the stereotyped group.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from herbarium.core.console import log
from herbarium.core.errors import HerbariumError, nearest
from herbarium.core.resources import as_seen, invisible, json_line, numbered, read_text_table, unseen
from herbarium.core.rows import account, named, require_matched
from herbarium.metrics.sentence_sets import stimuli
from herbarium.metrics.sentence_sets.names import BBQ_SIDES, BIASED, COUNTER, LETTERS, UNKNOWN
from herbarium.scoring.quantities import ASKED

CUE = "Answer:"
LOCATIONS = "additional_metadata.csv"
_CONTEXTS = (AMBIGUOUS, _) = {"ambig": "ambiguous", "disambig": "disambiguated"}
_POLARITIES = (NEGATIVE, _) = ("neg", "nonneg")
_ANSWERS = ("ans0", "ans1", "ans2")
_TEXTS = ("context", "question", "context_condition", "question_polarity", *_ANSWERS)
_KEYS = ("id", "set", "template")  # columns that are named by several parts
_PLACE, _TARGET = ["category", "question_index", "example_id"], "target_loc"
# What the authors spell in several ways in groups, descriptions of people, and answers.
_SPELLINGS = {
    **dict.fromkeys(("man", "men", "boy"), "m"),
    **dict.fromkeys(("woman", "women", "girl", "girls"), "f"),
    # in the languages of MBBQ, as its authors' mbbq.py has them
    **dict.fromkeys(("jongen", "erkek çocuk", "adam", "chico", "hombre", "maestro"), "m"),
    **dict.fromkeys(("vrouw", "meisje", "kız", "kadın", "chica", "mujer", "maestra"), "f"),
    **dict.fromkeys(("transgender men", "transgender women"), "trans"),
    **{"low ses": "lowses", "high ses": "highses", "latina": "latino"},
}
_CHOICE = re.compile(rf"[\n\r\v\f\x85\u2028\u2029]\s*[{''.join(LETTERS)}][.):]", re.IGNORECASE)  # within a text
_CROSSED = "_x_"  # within a category whose stereotypes are about two traits, such as Race_x_gender
_UNDETERMINED = "the biased answer cannot be determined"


class Question(NamedTuple):
    """A line of a file. traits: of the people among its answers. groups: the stereotyped ones, spelled like traits.
    correct: the right answer."""

    file: Path
    number: int
    line: Mapping
    traits: Mapping[str, set[str]]
    groups: set[str]
    correct: str

    @property
    def place(self) -> tuple[str, ...]:
        return tuple(str(self.line[name]) for name in _PLACE)

    @property
    def template(self) -> tuple[str, ...]:
        return self.place[:2]

    @property
    def stereotyped(self) -> list[str]:
        """The answers that are people of stereotyped groups."""
        return [answer for answer, traits in self.traits.items() if traits & self.groups]


def files(place: Path, pattern: str = "*.jsonl") -> list[Path]:
    """The files of a folder that match the pattern, and `additional_metadata.csv`, if present; or one .jsonl file
    alone. Raises HerbariumError if there is none."""
    if place.is_file():
        return [place]
    question_files = sorted(place.glob(pattern))
    if not question_files:
        raise HerbariumError(f"{place}: it has no BBQ file, such as Age.jsonl: none is '{pattern}'.")
    locations = place / LOCATIONS
    return [*question_files, *([locations] if locations.is_file() else [])]


def read(paths: Sequence[str | Path], cue: str = "") -> pd.DataFrame:
    """Three rows per usable question, as of `stimuli.placed`: `set` is category and example_id, `side` of BBQ_SIDES,
    `group` category and context; `template` is category and question_index, `polarity` that of the question, and
    `correct` the side that is right.

    A text is context, question, cue and answer, which is scored. paths: of `files`. Raises HerbariumError if a file
    cannot be read, or no question can be used.
    """

    def with_answers(question: Question, answers: Mapping[str, str]) -> Iterator[dict]:
        line, shared = question.line, _shared(question, answers)
        for side in BBQ_SIDES:
            parts = [line["context"], line["question"], *filter(None, [cue]), f"[{ASKED}: {line[answers[side]]}]"]
            yield {"id": (*shared["set"], side), "side": side, "text": " ".join(parts)} | shared

    return _read(paths, with_answers)


def _read(
    paths: Sequence[str | Path], rows_of: Callable[[Question, Mapping[str, str]], Iterator[dict]]
) -> pd.DataFrame:
    """The rows of all usable questions, which a question and its answers give."""
    place, answered = Path(paths[0]).parent, _answered(paths)
    usable = [both for both in answered if not isinstance(both[1], str)]
    unusable = Counter(fault for _, fault in answered if isinstance(fault, str))
    if not usable:
        why = "; ".join(f"{fault}, {n}" for fault, n in unusable.most_common()) or "there is none"
        raise HerbariumError(f"{place}: no BBQ question can be used: {why}.")
    account(place, len(answered), len(usable), unusable)
    table = pd.DataFrame([row for question, answers in usable for row in rows_of(question, answers)])
    for column in _KEYS:
        parts = pd.DataFrame(table[column].tolist(), dtype=str)
        table[column] = named([parts[part] for part in parts], "-")
    return stimuli.placed(place, table)


def _shared(question: Question, answers: Mapping[str, str]) -> dict[str, str | tuple[str, ...]]:
    """What the rows of a question have in common; of `_KEYS`, the parts. answers: of each side."""
    line, (category, index, example) = question.line, question.place
    side_of = {answer: side for side, answer in answers.items()}
    return {
        **{"set": (category, example), "group": f"{category} {_CONTEXTS[line['context_condition']]}"},
        **{"template": (category, index), "polarity": line["question_polarity"]},
        stimuli.CORRECT: side_of[question.correct],
    }


def read_with_cue(paths: Sequence[str | Path], cue: str = CUE) -> pd.DataFrame:
    """As `read`, with a cue from which a causal model knows that an answer follows."""
    return read(paths, cue)


def read_choices(paths: Sequence[str | Path], cue: str = CUE) -> pd.DataFrame:
    """As `read`, with lettered answers behind the question, and a letter as what is scored. Each question is asked in
    all orders of its answers, in which every answer has every letter twice: a set is a question in one of them, `order`
    the order, as that of the authors' 0, 1, 2, and `letter` that of an answer."""

    def in_all_orders(question: Question, answers: Mapping[str, str]) -> Iterator[dict]:
        for order in permutations(_ANSWERS):
            yield from _lettered(question, answers, order, cue)

    return _read(paths, in_all_orders)


def _lettered(question: Question, answers: Mapping[str, str], order: Sequence[str], cue: str) -> Iterator[dict]:
    """Rows of `read_choices` of a question in one order of its answers."""
    letter_of, line = dict(zip(order, LETTERS, strict=True)), question.line
    listed = "\n".join(f"{letter_of[answer]}. {line[answer]}" for answer in order)
    shared = _shared(question, answers)
    as_order = "".join(answer.removeprefix("ans") for answer in order)
    shared |= {"set": (*shared["set"], as_order), "order": as_order}
    for side in BBQ_SIDES:
        letter = letter_of[answers[side]]
        text = f"{line['context']} {line['question']}\n{listed}\n{cue} [{ASKED}: {letter}]"
        yield shared | {"id": (*shared["set"], side), "side": side, "text": text, stimuli.LETTER: letter}


def faults(paths: Sequence[str | Path]) -> list[dict]:
    """Faults of the files: `file`, `line`, `fault`, and `is_left_out`; and the questions that the authors' table, if
    there is one, does not have."""
    listed, targets = [], _table_of(paths)
    for question, answers in _answered(paths):
        told = {"file": question.file.name, "line": question.number}
        if isinstance(answers, str):
            listed.append(told | {"fault": answers, "is_left_out": True})
        elif targets and question.place not in targets:
            listed.append(told | {"fault": f"not in {LOCATIONS}, its biased answer is by rule", "is_left_out": False})
    return listed


def _answered(paths: Sequence[str | Path]) -> list[tuple[Question, dict[str, str] | str]]:
    """Each question with the answer of each side, or its fault."""
    targets, answered = _table_of(paths), []
    questions = [question for path in map(Path, paths) if path.name != LOCATIONS for question in _questions(path)]
    traits = _target_traits(questions)
    by_rule = [_biased(question, traits[question.template]) for question in questions]
    for path in map(Path, paths):
        if path.name == LOCATIONS:
            _require_matched(path, targets, questions)
            _refuse_first_version(path, targets, questions, by_rule)
    for question, biased in zip(questions, by_rule, strict=True):
        biased = targets.get(question.place, biased)
        fault = _fault(question) or (None if biased in question.traits else _UNDETERMINED)
        answered.append((question, fault or _sides(question, biased)))
    return answered


def _table_of(paths: Sequence[str | Path]) -> dict[tuple[str, ...], str | None]:
    """`_targets` of the authors' table; nothing if it is not among the files."""
    return next((_targets(path) for path in map(Path, paths) if path.name == LOCATIONS), {})


def _require_matched(path: Path, targets: Mapping, questions: Sequence[Question]) -> None:
    """Raise HerbariumError if the authors' table spells a category of the questions otherwise, or has none of them.
    Single questions that it does not have are among the faults."""
    categories, asked = {place[0] for place in targets}, {question.place[0]: None for question in questions}
    for category in asked:
        if nearest(category, categories) or categories.isdisjoint(asked):
            require_matched(f"{path}: column '{_PLACE[0]}'", [category], categories)
    n_matched = sum(question.place in targets for question in questions)
    log.info("%s: %d of %d questions are in it.", path, n_matched, len(questions))


def _questions(path: Path) -> Iterator[Question]:
    for number, text in numbered(path):
        line = json_line(path, number, text, (*_PLACE, *_TEXTS), "BBQ question")
        try:
            yield _question(path, number, line)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise HerbariumError(f"{path}, line {number}: not a BBQ question ({error!r}).") from error


def _question(path: Path, number: int, line: Mapping) -> Question:
    line = line | {name: line[name].strip() for name in _ANSWERS}
    traits = {}
    for answer in _ANSWERS:
        name, group = line["answer_info"][answer]
        if group != UNKNOWN:
            traits[answer] = _traits(name, group, line[answer])
    groups = {_spelled(group) for group in line["additional_metadata"]["stereotyped_groups"]}
    correct = _ANSWERS[_ANSWERS.index(f"ans{line['label']}")]
    return Question(path, number, line, traits, groups, correct)


def _traits(name: str, group: str, answer: str) -> set[str]:
    """What a person is called, such as a nationality; and the group with its parts, such as highSES-F-White, or if it
    is empty the words of the answer."""
    parts = re.split("[-_]", group) if group else answer.split()
    return {_spelled(trait) for trait in (name, group, *parts)}


def _spelled(group: str) -> str:
    group = group.strip().lower()
    return _SPELLINGS.get(group, group)


def _target_traits(questions: Sequence[Question]) -> dict[tuple[str, ...], set[str]]:
    """The traits that a stereotype has in addition to the group, for each template.

    A line names only one of two traits, such as the race. The other one is found in the template's questions with only
    one person of that race, who always has it.
    """
    shared: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for question in questions:
        if _CROSSED in question.template[0] and len(question.stereotyped) == 1:
            traits = question.traits[question.stereotyped[0]]
            shared[question.template] = shared.get(question.template, traits) & traits
    return shared


def _biased(question: Question, traits: set[str]) -> str | None:
    """The biased answer by the authors' rules, None if they do not determine it. traits: of `_target_traits`."""
    target = [answer for answer in question.stereotyped if traits <= question.traits[answer]]
    if len(target) != 1:
        return None
    if question.line["question_polarity"] == NEGATIVE:
        return target[0]
    return next((answer for answer in question.traits if answer not in target), None)


def _targets(path: Path) -> dict[tuple[str, ...], str | None]:
    """The biased answer of each question by the authors' table; None if it gives none, or several."""
    targets: dict[tuple[str, ...], set[str]] = {}
    for *place, target in read_text_table(path, [*_PLACE, _TARGET])[[*_PLACE, _TARGET]].to_numpy().tolist():
        answers = targets.setdefault(tuple(place), set())
        if target not in ("", "NA"):
            answers.add(f"ans{target.removesuffix('.0')}")
    return {place: answers.pop() if len(answers) == 1 else None for place, answers in targets.items()}


def _refuse_first_version(
    path: Path, targets: Mapping, questions: Sequence[Question], by_rule: Sequence[str | None]
) -> None:
    """Raise HerbariumError if `target_loc` is the stereotyped group in most questions that are not negative.

    It was in the authors' first version, of April to July 2022. by_rule: of `_biased`.
    """
    agrees = [
        targets[question.place] == biased
        for question, biased in zip(questions, by_rule, strict=True)
        if question.line["question_polarity"] != NEGATIVE and biased and targets.get(question.place)
    ]
    if agrees and sum(agrees) < len(agrees) / 2:
        raise HerbariumError(
            f"{path}: in most questions that are not negative its {_TARGET} is not the biased answer but the other, as "
            "in the authors' first version of April 2022; take today's, of their folder analysis_scripts."
        )


def _fault(question: Question) -> str | None:
    line, answers = question.line, [question.line[answer] for answer in _ANSWERS]
    if line["context_condition"] not in _CONTEXTS or line["question_polarity"] not in _POLARITIES:
        return "context_condition or question_polarity is not one of BBQ's"
    if not all(answers) or len(set(map(_as_read, answers))) < len(answers):
        return "two answers are the same, or empty"
    texts = (line["context"], line["question"], *answers)
    if any(_CHOICE.search(text) for text in texts):
        return "a line within it begins as a lettered answer"
    if any(bracket in text for text in texts for bracket in "[]"):
        return "a sentence has a bracket"
    if sign := next(filter(None, map(invisible, texts)), None):
        return f"a sentence has the invisible character {unseen(sign)}"
    if len(question.traits) != len(_ANSWERS) - 1:
        return "not exactly one answer says that it is unknown"
    if (question.correct in question.traits) == (line["context_condition"] == AMBIGUOUS):
        return "its label does not fit its context_condition"
    return None


def _as_read(answer: str) -> str:
    """A key that answers share if a reader takes them for the same: without capitals, white space and punctuation at
    their ends."""
    return " ".join(as_seen(answer).casefold().split()).strip(" .,;:!?'\"")


def _sides(question: Question, biased: str) -> dict[str, str]:
    """The answer of each side of a question without a fault."""
    (counter,) = question.traits.keys() - {biased}
    (unknown,) = set(_ANSWERS) - question.traits.keys()
    return {BIASED: biased, COUNTER: counter, UNKNOWN: unknown}
