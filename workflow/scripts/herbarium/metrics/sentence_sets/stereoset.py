"""Sentences in the form of StereoSet (Nadeem et al. 2021), as released by its authors: dev.json.

An example has three sentences, of which the model should find the first two likelier than the third: a stereotype of a
target (such as an occupation), the opposite of it, and an unrelated one. Within a sentence a word is replaced
(`read`), after a sentence the whole next one (`read_next`).
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from herbarium.core.errors import HerbariumError
from herbarium.core.resources import invisible, read_text, sameness, unseen
from herbarium.core.rows import account
from herbarium.metrics.sentence_sets import stimuli
from herbarium.metrics.sentence_sets.names import STEREOSET_SIDES
from herbarium.scoring.quantities import ASKED

WITHIN, NEXT = "intrasentence", "intersentence"
_BLANK = "BLANK"


def read(paths: Sequence[str | Path]) -> pd.DataFrame:
    """Three rows per usable example, as of `stimuli.placed`: `set` is its id, `side` of STEREOSET_SIDES, `group` the
    type of bias, `target` the target of the stereotype; the words in place of BLANK are scored.

    paths: of one file. Raises HerbariumError if it is not such a file, or has no usable example.
    """
    return _read(paths, WITHIN)


def read_next(paths: Sequence[str | Path]) -> pd.DataFrame:
    """As `read`, for sentences that follow a first one; the whole second one is scored."""
    return _read(paths, NEXT)


def faults(paths: Sequence[str | Path]) -> list[dict]:
    """Faults of the file: `file`, `line` (the number of the example), `fault`, and `is_left_out`."""
    return _faults(paths, WITHIN)


def faults_of_next(paths: Sequence[str | Path]) -> list[dict]:
    """As `faults`, for sentences that follow a first one."""
    return _faults(paths, NEXT)


def _faults(paths: Sequence[str | Path], part: str) -> list[dict]:
    (path,) = paths
    return [
        {"file": Path(path).name, "line": number, "fault": parts, "is_left_out": True}
        for number, example in enumerate(_examples(path, part), start=1)
        if isinstance(parts := _sentences(example, part), str)
    ]


def _read(paths: Sequence[str | Path], part: str) -> pd.DataFrame:
    (path,) = paths
    rows, unusable, examples = [], Counter(), list(_examples(path, part))
    for example in examples:
        parts = _sentences(example, part)
        if isinstance(parts, str):
            unusable[parts] += 1
        else:
            rows += [
                {
                    **{"id": f"{example['id']}-{side}", "set": example["id"], "side": side, "text": parts[side]},
                    **{"group": example["bias_type"], "target": example["target"]},
                }
                for side in STEREOSET_SIDES
            ]
    if not rows:
        why = "; ".join(f"{fault}, {n}" for fault, n in unusable.most_common()) or "there is none"
        raise HerbariumError(f"{path}: no example of '{part}' can be used: {why}.")
    account(path, len(examples), len(examples) - unusable.total(), unusable)
    return stimuli.placed(path, pd.DataFrame(rows))


def _examples(path: str | Path, part: str) -> Iterator[dict]:
    try:
        yield from json.loads(read_text(path), parse_int=str, parse_float=str)["data"][part]
    except (ValueError, KeyError, TypeError) as error:
        raise HerbariumError(f"{path}: not a StereoSet file, with 'data' and '{part}' ({error!r}).") from error


def _sentences(example: dict, part: str) -> dict[str, str] | str:
    """The marked sentence of each side; or the fault of an example."""
    try:
        sentences = {entry["gold_label"]: entry["sentence"].strip() for entry in example["sentences"]}
        context = example["context"].strip()
        if not all(example[field].strip() for field in ("id", "bias_type", "target")):
            return "a field is empty"
    except (KeyError, TypeError, AttributeError):
        return "a field is missing"
    if len(example["sentences"]) != len(STEREOSET_SIDES) or sentences.keys() != set(STEREOSET_SIDES):
        return f"its labels (gold_label) are not {', '.join(STEREOSET_SIDES)}, each once"
    if len(set(map(sameness, sentences.values()))) < len(STEREOSET_SIDES):
        return "two of its sentences are the same"
    if sign := next(filter(None, map(invisible, (context, *sentences.values()))), None):
        return f"a sentence has the invisible character {unseen(sign)}"
    if any(bracket in text for text in (context, *sentences.values()) for bracket in "[]"):
        return "a sentence has a bracket"
    if part == NEXT:
        return {side: f"{context} [{ASKED}: {sentence}]" for side, sentence in sentences.items()}
    before, blank, after = context.partition(_BLANK)
    if not blank or _BLANK in after:
        return f"its context does not have exactly one {_BLANK}"
    by_side = {}
    for side, sentence in sentences.items():
        words = sentence[len(before) : len(sentence) - len(after)]
        is_filled = sentence.lower() == f"{before}{words}{after}".lower()
        if not is_filled or not words.strip() or len(sentence) < len(before) + len(after):
            return f"a sentence is not its context with {_BLANK} filled"
        by_side[side] = f"{sentence[: len(before)]}[{ASKED}: {words}]{sentence[len(sentence) - len(after) :]}"
    return by_side
