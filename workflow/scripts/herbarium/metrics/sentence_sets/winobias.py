"""Sentences in the form of WinoBias (Zhao et al. 2018; Zhao 2021, Chapter 2), as released by its authors.

A folder has pairs of files, `pro_stereotyped_type1.txt.dev` and `anti_stereotyped_type1.txt.dev`: the same sentences,
one per line after its number; equal lines form pairs that differ in the gender of the pronouns.

    1 [The plumber] phoned the florist because [he] had lost the address.

Their sentences are compared in two ways: `read` has both sentences of a pair and scores the pronouns (`read_by_gender`
names the sides by the pronouns' gender); `read_questions` has each sentence with the possible referents of its pronoun.

Brackets mark pronouns and the occupation that they refer to. Not all published lines follow this: `faults` lists those
that do not.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from pathlib import Path

import numpy as np
import pandas as pd

from herbarium.core.errors import HerbariumError
from herbarium.core.resources import invisible, numbered, unseen
from herbarium.core.rows import require_matched
from herbarium.metrics.sentence_sets import stimuli
from herbarium.metrics.sentence_sets.repairs import Repair, repaired
from herbarium.scoring.quantities import ASKED
from herbarium.statistics.sets import RIGHT, WRONG

SIDES = (PRO, ANTI) = ("pro", "anti")
ANSWERS = (RIGHT, WRONG)
STEREOTYPES = ("masculine", "feminine")
_FILE = re.compile(r"pro_stereotyped_(type\d)\.txt\.(\w+)")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_MASCULINE = {"he", "him", "his", "himself"}
# for each, its possible forms
_COUNTERPARTS = {"she": {"he"}, "her": {"him", "his"}, "hers": {"his"}, "herself": {"himself"}}
_PRONOUNS = _MASCULINE | _COUNTERPARTS.keys()
_TWICE = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)


@dataclass(frozen=True)
class Line:
    """Two lines with the same number."""

    file: str  # the pro-stereotyped one
    number: int
    pro: str
    anti: str

    @cached_property
    def texts(self) -> list[str]:
        """Both sentences without brackets."""
        return [
            " ".join(re.sub(r"[\[\]]", " ", sentence).split())
            for sentence in (self._tight(self.pro), self._tight(self.anti))
        ]

    @staticmethod
    def _tight(text: str) -> str:
        return _BRACKETS.sub(lambda match: match[1].strip(), text)

    @cached_property
    def differing(self) -> list[tuple[re.Match, re.Match]] | None:
        """The pronouns of opposite gender in which the two differ; None if anything else differs, or nothing does."""
        pro, anti = (list(_TOKEN.finditer(text)) for text in self.texts)
        if len(pro) != len(anti):
            return None
        pairs = [(one, other) for one, other in zip(pro, anti, strict=True) if one[0] != other[0]]
        return pairs if pairs and all(_are_opposite(one[0], other[0]) for one, other in pairs) else None

    @cached_property
    def occupations(self) -> list[str]:
        """The words in brackets that are not pronouns, in the pro-stereotyped sentence, without their article."""
        words = [match.strip().lower() for match in _BRACKETS.findall(self.pro)]
        return [re.sub(r"^(the|an?) ", "", word) for word in words if word and word not in _PRONOUNS]


def _are_opposite(one: str, other: str) -> bool:
    one, other = one.lower(), other.lower()
    return {one, other} <= _PRONOUNS and (one in _MASCULINE) != (other in _MASCULINE)


def files(folder: Path) -> list[Path]:
    """The files of a folder, each pro-stereotyped one before its counterpart. Raises HerbariumError if one has none."""
    pros = sorted(path for path in Path(folder).glob("pro_stereotyped_*") if _FILE.fullmatch(path.name))
    if not pros:
        raise HerbariumError(f"{folder}: it has no WinoBias file, such as pro_stereotyped_type1.txt.dev.")
    paths = []
    for pro in pros:
        anti = pro.with_name(pro.name.replace(PRO, ANTI, 1))
        if not anti.is_file():
            raise HerbariumError(f"{pro}: its counterpart {anti.name} is missing.")
        paths += [pro, anti]
    return paths


def lines(paths: Sequence[str | Path], repairs: Sequence[Repair] = ()) -> Iterator[Line]:
    """All pairs of lines. paths: of `files`. Raises HerbariumError, with file and line, if two files do not match line
    by line, or are not those of the repairs."""
    names = [Path(path).name for path in paths]
    repaired_files = dict.fromkeys(repair.file for repair in repairs)
    if not repaired_files.keys().isdisjoint(names):  # a list may be of the test files, too, and the folder of none
        repaired_files = [name for name in repaired_files if name in names or not _FILE.fullmatch(name)]
    require_matched("repairs, column 'file'", repaired_files, names)
    for pro, anti in zip(paths[::2], paths[1::2], strict=True):
        both = (repaired(path, [line for _, line in numbered(path)], repairs) for path in (pro, anti))
        for number, texts in enumerate(zip_longest(*both), start=1):
            sentences = []
            for path, line in zip((pro, anti), texts, strict=True):
                count, _, sentence = (line or "").partition(" ")
                if count != str(number) or not sentence.strip():
                    raise HerbariumError(f"{path}, line {number}: it must be '{number} ' and a sentence.")
                sentences.append(sentence.strip())
            yield Line(str(pro), number, *sentences)


def read(paths: Sequence[str | Path], repairs: Sequence[Repair] = ()) -> pd.DataFrame:
    """Two rows per usable pair, as of `stimuli.placed`: pairs whose sentences differ only in pronouns, all of which are
    scored.

    `set` is type, split and line number, `group` type and split; `occupation` is the one that the pronouns refer to,
    `stereotype` the gender of its pronouns in the pro-stereotyped sentence, `masculine` and `feminine` are the
    occupation of the sentence with that stereotype, `n_pronouns` is the number that differ.
    paths: of `files`. HerbariumError without a usable pair, and as `lines`.
    """
    usable, known = _usable(paths, repairs)
    rows = []
    for line in usable:
        for side, text, words in zip(SIDES, line.texts, zip(*line.differing, strict=True), strict=True):
            rows.append(_row(line, side, _marked(text, words), _others(line, known)))
    return _placed(paths, rows)


def read_by_gender(paths: Sequence[str | Path], repairs: Sequence[Repair] = ()) -> pd.DataFrame:
    """As `read`, but a side is the gender of the pronouns: `feminine` or `masculine`."""
    table = read(paths, repairs)
    is_masculine = (table["side"] == PRO) == (table["stereotype"] == STEREOTYPES[0])
    side = np.where(is_masculine, *STEREOTYPES)
    return table.assign(side=side, id=table["set"] + "-" + side)


def read_questions(paths: Sequence[str | Path], repairs: Sequence[Repair] = ()) -> pd.DataFrame:
    """Four rows per usable pair, as of `stimuli.placed`: each sentence, then the referent of its first pronoun.

    `The cook met the guard because he was late. 'He' refers to the [asked: cook].` The right answer is the occupation
    in brackets, the wrong one the other in the sentence. Else as `read`.

    A pair without exactly one other occupation is left out: `faults_of_questions` says which.
    """
    usable, known = _usable(paths, repairs)
    rows = []
    for line in usable:
        others = _others(line, known)
        if len(others) != 1:
            continue
        for side, text, words in zip(SIDES, line.texts, zip(*line.differing, strict=True), strict=True):
            for answer, who in zip(ANSWERS, (line.occupations[0], others[0]), strict=True):
                question = f"{text} '{words[0][0].capitalize()}' refers to the [{ASKED}: {who}]."
                rows.append(_row(line, f"{side}{answer}", question, others))
    return _placed(paths, rows)


def _usable(paths: Sequence[str | Path], repairs: Sequence[Repair]) -> tuple[list[Line], set[str]]:
    """The usable pairs, and the occupations that their pronouns refer to."""
    usable = list(filter(_is_usable, lines(paths, repairs)))
    return usable, _referred_to(usable)


def _referred_to(usable: Sequence[Line]) -> set[str]:
    return {line.occupations[0] for line in usable}


def _is_usable(line: Line) -> bool:
    return not any(is_left_out for _, is_left_out in _faults(line))


def _others(line: Line, known: Collection[str]) -> list[str]:
    """The occupations of a sentence other than that of the pronoun. known: those that any pronoun refers to."""
    text = line.texts[0].lower()
    return sorted(name for name in known - {line.occupations[0]} if re.search(rf"\b{re.escape(name)}\b", text))


def _row(line: Line, side: str, text: str, others: Sequence[str]) -> dict[str, str]:
    """others: occupations of the sentence other than that of the pronoun, with the other stereotype."""
    pairs, occupation = line.differing, line.occupations[0]
    type_, split = _FILE.fullmatch(Path(line.file).name).groups()
    name, stereotype = f"{type_}-{split}-{line.number}", _stereotype(line)
    other = others[0] if len(others) == 1 else "unknown"
    group = f"{type_.replace('type', 'type ')}, {split}"
    return {
        **{"id": f"{name}-{side}", "set": name, "side": side, "text": text, "group": group},
        **{"occupation": occupation, "stereotype": stereotype, "n_pronouns": str(len(pairs))},
        **{kind: occupation if kind == stereotype else other for kind in STEREOTYPES},
    }


def _stereotype(line: Line) -> str:
    """For the occupation that the pronouns refer to: their gender in the pro-stereotyped sentence."""
    return STEREOTYPES[line.differing[0][0][0].lower() not in _MASCULINE]


def _placed(paths: Sequence[str | Path], rows: Sequence[Mapping]) -> pd.DataFrame:
    folder = Path(paths[0]).parent
    if not rows:
        raise HerbariumError(f"{folder}: no pair of lines about occupations differs only in pronouns.")
    return stimuli.placed(folder, pd.DataFrame(rows))


def _marked(text: str, words: Sequence[re.Match]) -> str:
    for word in reversed(words):
        text = f"{text[: word.start()]}[{ASKED}: {word[0]}]{text[word.end() :]}"
    return text


def faults(paths: Sequence[str | Path], repairs: Sequence[Repair] = ()) -> list[dict]:
    """Faults of the files: `file`, `line`, `fault`, and `is_left_out`, whether the pair is not used. paths: of
    `files`."""
    return [_said(line, *fault) for line in lines(paths, repairs) for fault in _faults(line)]


def faults_of_questions(paths: Sequence[str | Path], repairs: Sequence[Repair] = ()) -> list[dict]:
    """As `faults`, and the pairs without exactly one other occupation."""
    of_file = list(lines(paths, repairs))
    known = _referred_to(list(filter(_is_usable, of_file)))
    listed = []
    for line in of_file:
        listed += [_said(line, *fault) for fault in _faults(line)]
        if _is_usable(line) and len(_others(line, known)) != 1:
            listed.append(_said(line, "the sentence does not have exactly one other occupation", True))
    return listed


def _said(line: Line, fault: str, is_left_out: bool) -> dict:
    return {"file": Path(line.file).name, "line": line.number, "fault": fault, "is_left_out": is_left_out}


def _faults(line: Line) -> Iterator[tuple[str, bool]]:
    pairs = line.differing
    if pairs is None:
        yield "the two sentences differ in more than pronouns of opposite gender", True
        return
    if not line.occupations:
        yield "no occupation is in brackets", True
    if sign := next(filter(None, map(invisible, line.texts)), None):
        yield f"a sentence has the invisible character {unseen(sign)}", True
    if len(pairs) > 1:
        yield "several pronouns differ", False
    if any(_is_of_another_form(one[0], other[0]) for one, other in pairs):
        yield "the pronouns have different forms", False
    if any(_in_brackets(text) < len(pairs) for text in (line.pro, line.anti)):
        yield "a pronoun that differs is not in brackets", False
    if any(map(_TWICE.search, line.texts)):
        yield "a word is repeated", False


def _is_of_another_form(one: str, other: str) -> bool:
    one, other = sorted((one.lower(), other.lower()), key=_MASCULINE.__contains__)
    return other not in _COUNTERPARTS[one]


def _in_brackets(text: str) -> int:
    return sum(word.strip().lower() in _PRONOUNS for word in _BRACKETS.findall(text))
