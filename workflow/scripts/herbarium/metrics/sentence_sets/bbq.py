"""Questions in the form of BBQ (Parrish et al. 2022), as released by its authors: a folder of .jsonl files, one
question per line.

A context mentions two people of different groups, and a question asks which of them did something. An ambiguous context
does not say, a disambiguated one does. A question may be negative (who is bad at maths?) or not (who is good at it?).
One of three answers is "unknown".
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from herbarium.core.errors import HerbariumError
from herbarium.core.resources import read_text, read_text_table
from herbarium.metrics.sentence_sets import stimuli
from herbarium.scoring.quantities import ASKED

# biased: the stereotyped group in a negative question, the other in any other.
SIDES = (BIASED, COUNTER, UNKNOWN) = ("biased", "counter", "unknown")
LOCATIONS = "additional_metadata.csv"
_CONTEXTS = {"ambig": "ambiguous", "disambig": "disambiguated"}
_POLARITIES = {"neg": True, "nonneg": False}
_ANSWERS = ("ans0", "ans1", "ans2")
_OF_LOCATION = ["category", "question_index", "example_id", "target_loc"]


def files(folder: Path) -> list[Path]:
    """The .jsonl files of a folder, and `additional_metadata.csv`, if present. Raises HerbariumError if there is no
    .jsonl file."""
    found = sorted(Path(folder).glob("*.jsonl"))
    if not found:
        raise HerbariumError(f"{folder}: it has no BBQ file, such as Age.jsonl.")
    locations = Path(folder) / LOCATIONS
    return [*found, *([locations] if locations.is_file() else [])]


def read(paths: Sequence[str | Path]) -> pd.DataFrame:
    """Three rows per usable question, as of `stimuli.placed`: `set` is category and example_id, `side` of SIDES,
    `group` category and context; `template` is category and question_index, `polarity` that of the question.

    A text is context, question and answer, which is scored. The answer with the stereotyped group comes from
    additional_metadata.csv, or else from the groups named in the line itself. paths: of `files`. Raises HerbariumError
    if a line cannot be read, or no question can be used.
    """
    rows = []
    for _, _, line, found in _questions(paths):
        if isinstance(found, str):
            continue
        name, context = f"{line['category']}-{line['example_id']}", _CONTEXTS[line["context_condition"]]
        shared = {
            **{"set": name, "group": f"{line['category']} {context}", "polarity": line["question_polarity"]},
            "template": f"{line['category']}-{line['question_index']}",
        }
        for side in SIDES:
            text = f"{line['context']} {line['question']} [{ASKED}: {line[found[side]]}]"
            rows.append({"id": f"{name}-{side}", "side": side, "text": text} | shared)
    if not rows:
        raise HerbariumError(f"{Path(paths[0]).parent}: no BBQ question can be used.")
    return stimuli.placed(Path(paths[0]).parent, pd.DataFrame(rows))


def faults(paths: Sequence[str | Path]) -> list[dict]:
    """Faults of the files: `file`, `line`, `fault`, and `is_left_out`."""
    return [
        {"file": path.name, "line": number, "fault": found, "is_left_out": True}
        for path, number, _, found in _questions(paths)
        if isinstance(found, str)
    ]


def _questions(paths: Sequence[str | Path]) -> Iterator[tuple[Path, int, dict, dict[str, str] | str]]:
    """File, number and content of each line, and the side of each answer, or the line's fault."""
    tables = [read_text_table(path, _OF_LOCATION) for path in paths if Path(path).name == LOCATIONS]
    known = {tuple(of[:3]): of[3] for table in tables for of in table[_OF_LOCATION].to_numpy().tolist()}
    for path in map(Path, paths):
        if path.name == LOCATIONS:
            continue
        for number, text in enumerate(read_text(path).splitlines(), start=1):
            try:
                line = json.loads(text)
                yield path, number, line, _sides(line, known)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise HerbariumError(f"{path}, line {number}: not a BBQ question ({error!r}).") from error


def _sides(line: Mapping, known: Mapping[tuple[str, ...], str]) -> dict[str, str] | str:
    """The side of each answer; or the fault of a line."""
    texts, groups = [line[of].strip() for of in _ANSWERS], {of: line["answer_info"][of][1] for of in _ANSWERS}
    if line["context_condition"] not in _CONTEXTS or line["question_polarity"] not in _POLARITIES:
        return "context_condition or question_polarity is not one of BBQ's"
    if not all(texts) or len(set(texts)) < len(texts):
        return "two answers are the same, or empty"
    if any(bracket in text for text in (line["context"], line["question"], *texts) for bracket in "[]"):
        return "a sentence has a bracket"
    unknown = [of for of, group in groups.items() if group == UNKNOWN]
    others = [of for of in _ANSWERS if of not in unknown]
    if len(unknown) != 1:
        return "not exactly one answer says that it is unknown"
    stereotyped = _stereotyped(line, others, groups, known)
    if len(stereotyped) != 1:
        return "the answer with the stereotyped group cannot be determined"
    target, (other,) = stereotyped[0], [of for of in others if of not in stereotyped]
    biased, counter = (target, other) if _POLARITIES[line["question_polarity"]] else (other, target)
    return {BIASED: biased, COUNTER: counter, UNKNOWN: unknown[0]}


def _stereotyped(line: Mapping, others: Sequence[str], groups: Mapping[str, str], known: Mapping) -> list[str]:
    """The answers with stereotyped groups."""
    place = tuple(str(line[of]) for of in _OF_LOCATION[:3])
    if place in known:
        return [of for of in others if str(_ANSWERS.index(of)) == known[place].removesuffix(".0")]
    wanted = {group.lower() for group in line["additional_metadata"]["stereotyped_groups"]}
    # with names of people, a group begins with their gender: F-Black
    return [of for of in others if {groups[of].lower(), groups[of].partition("-")[2].lower()} & wanted]
