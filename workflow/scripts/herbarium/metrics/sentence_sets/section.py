"""The section of the configuration on custom sentence sets."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Literal

import pandas as pd
from pydantic import Field, ValidationInfo, field_validator, model_validator

from herbarium.core.errors import HerbariumError
from herbarium.core.section import ByKind, Correction, LocalPath, Name, Need, QuickBootstrap, Section, Value
from herbarium.metrics.sentence_sets import beside, stimuli
from herbarium.metrics.sentence_sets.bbq_contrast import ANSWERED, CHOICES
from herbarium.metrics.sentence_sets.columns import Columns
from herbarium.metrics.sentence_sets.contrasts import CONTRASTS
from herbarium.metrics.sentence_sets.formats import COLUMNS, CUE, FORMATS, PATTERN, REPAIRS, TABLE, read
from herbarium.models.by_kind import scored
from herbarium.models.data import Pinned, found
from herbarium.models.kinds import Kind
from herbarium.scoring.quantities import ASKED, AULA
from herbarium.statistics.sets import RIGHT, SET, WRONG
from herbarium.statistics.within_sets import ACCURACY, CANDIDATES, NO_SHARE, PAIRS, SHARE

# Keys on the reading of files, and the formats that they are for.
_READING = {key: [form for form, able in FORMATS.items() if key in able.takes] for key in (COLUMNS, PATTERN, CUE)}


def _files(form: str, path: Path, pattern: str | None) -> list[Path]:
    return FORMATS[form].files(path, *filter(None, [pattern]))


def _reading(values: Mapping) -> dict:
    """As of `formats.read`. values: of a set of sentences."""
    columns, cue = values[COLUMNS], values[CUE]
    return ({COLUMNS: columns.model_dump(mode="json")} if columns else {}) | ({CUE: cue} if cue else {})


class SentenceSet(Pinned):
    set: Name | None = Field(
        None,
        exclude=True,
        description="Set of the catalogue (docs/sets.md), for keys not given here. Empty: the one of this name, "
        "unless there is a `table`.",
    )
    format: Literal[*FORMATS] = Field(
        TABLE,
        description="Of `table`: your own CSV, or files of WinoBias (docs/winobias.md), StereoSet (docs/stereoset.md) "
        "or BBQ (docs/bbq.md).",
    )
    pattern: str | None = Field(None, description="Files of BBQ to read, such as `*_es.jsonl`; empty: all.")
    cue: str | None = Field(
        None, description="With `bbq_answer` and `bbq_choices`: words before an answer; empty: *Answer:*."
    )
    columns: Columns | None = Field(None, description="Columns of a `table` whose columns are not ours (docs/sets.md).")
    table: Path = Field(
        description="CSV with `id`, `set`, `side`, `text`; optionally `group` and covariates. Or the files of `format`."
    )
    repairs: LocalPath | None = Field(
        None, description="CSV of corrections to WinoBias: `file`, `line`, `wrong`, `right`."
    )
    limit: int | None = Field(
        None,
        ge=2,
        le=1_000_000,
        description="For a pilot: this many sets of sentences, drawn at random. Empty: all.",
    )
    models: list[Name] = Field(
        [], description="Models to measure. Empty: for a set of the catalogue all that give its score, else none."
    )
    quantity: Literal[*stimuli.SCORES] | None = Field(
        None, description="Score of a sentence (docs/your_sentences.md, docs/scoring.md)."
    )
    contrast: Literal[*CONTRASTS] = Field(
        PAIRS.name,
        description="What is compared (docs/your_sentences.md). `bbq` and `choices` need a column `correct`, the side "
        "of the right answer; `choices` also `letter`.",
    )
    sides: list[Value] = Field(min_length=2, description="Sides of every set, the first one first.")
    unit: str = Field(
        SET,
        description="Sampling unit: each set, or a column. If left out, and a column names words that sets share, "
        "this becomes `crossed_with`; `set` declares sets independent.",
    )
    crossed_with: str | None = Field(None, description="Column of a second kind of unit.")
    each: str | None = Field(None, description="Column whose values are also measured separately.")
    beside: LocalPath | None = Field(
        None,
        description="With `each` and `pairs`: CSV of known numbers for its values (docs/metrics/sentence_sets.md).",
    )
    correction: Correction = "holm"
    bootstrap: QuickBootstrap = QuickBootstrap()

    @field_validator("table")
    @classmethod
    def _table_can_be_read(cls, path: Path, info: ValidationInfo) -> Path:
        given = info.data
        if not {"format", "git", "revision", *_READING} <= given.keys():  # they have faults of their own
            return path
        path, form = found(path, info), given["format"]
        for key, takes in _READING.items():
            if given[key] and form not in takes:
                raise ValueError(f"{key}: the format '{form}' has none; it is for {' and '.join(map(repr, takes))}")
        try:
            read(form, _files(form, path, given[PATTERN]), reading=_reading(given))
        except HerbariumError as error:
            raise ValueError(str(error)) from error
        return path

    @staticmethod
    def kinds(quantity: object) -> list[Kind]:
        """The kinds of models that give a score; none for what is no score."""
        return list(stimuli.SCORES.get(str(quantity), {}))

    @staticmethod
    def poses_questions(form: object) -> bool:
        """Whether sentences of a format are questions with their answers."""
        return form in _READING[CUE]

    @property
    def has_answers(self) -> bool:
        """Whether every sentence marks words that can be the answer to what stands before them."""
        is_marked = self.format == TABLE and ASKED in stimuli.NEEDED.get(self.quantity, [])
        return is_marked or self.poses_questions(self.format)

    @property
    def files(self) -> list[str]:
        """The files with the sentences."""
        return [str(path) for path in _files(self.format, self.table, self.pattern)]

    @property
    def sentences(self) -> pd.DataFrame:
        """As of `formats.read`."""
        return read(self.format, self.files, self.repairs, self.reading)

    @property
    def reading(self) -> dict:
        """How the files are read, as of `formats.read`."""
        return _reading(dict(self))

    @property
    def repair_files(self) -> list[str]:
        return [str(self.repairs)] if self.repairs else []

    @property
    def read_from(self) -> list[str]:
        """All source files of the sentences."""
        return [*self.files, *self.repair_files]

    @model_validator(mode="after")
    def _table_has_what_is_compared(self) -> "SentenceSet":
        if len(set(self.sides)) < len(self.sides):
            raise ValueError(f"sides: a side is repeated: {', '.join(self.sides)}")
        if (self.quantity is None) != (not self.models):
            raise ValueError("'quantity' and 'models' belong together: each model gives its sentences this score")
        contrast = CONTRASTS[self.contrast]
        if contrast is CHOICES and self.quantity not in (None, stimuli.SLOT_MEAN):
            raise ValueError(
                f"quantity: '{CHOICES.name}' adds up the probabilities of letters, which '{stimuli.SLOT_MEAN}' gives"
            )
        if contrast is ACCURACY:
            self._require_conditions()
        elif contrast.sides:
            if tuple(self.sides) != contrast.sides:
                raise ValueError(f"sides: '{self.contrast}' compares [{', '.join(contrast.sides)}], in this order")
            if self.crossed_with:
                raise ValueError(
                    f"crossed_with: '{self.contrast}' has numbers that are not means, and units of only one kind"
                )
        elif contrast is not CANDIDATES and len(self.sides) != 2:
            raise ValueError(f"sides: '{self.contrast}' compares two sides, not {len(self.sides)}")
        if self.repairs and REPAIRS not in FORMATS[self.format].takes:
            raise ValueError(f"repairs: files of the format '{self.format}' are not repaired; correct your own copy")
        if self.beside and (not self.each or contrast is not PAIRS):
            raise ValueError(
                f"beside: known numbers are for each value of a column; it needs 'each', and 'contrast: {PAIRS.name}'"
            )
        if self.quantity in stimuli.OF_PAIRS and len(self.sides) != 2:
            raise ValueError(f"quantity: '{self.quantity}' is for pairs, and there are {len(self.sides)} sides")
        try:
            table = self.sentences
            answer = stimuli.CORRECT if contrast in ANSWERED else None
            shared = list(filter(None, [self.unit, self.crossed_with, self.each, answer]))
            stimuli.check(self.table, table, self.sides, shared, self.contrast, self.quantity)
            if self.beside:
                beside.check(self.beside, self.each, table[self.each])
        except HerbariumError as error:
            raise ValueError(str(error)) from error
        return self._crossed_with_shared_words(table)

    def _crossed_with_shared_words(self, table: pd.DataFrame) -> "SentenceSet":
        """If nothing is said about units: sets that share a word are not independent. Of several columns of words two
        are used, those with the fewest values."""
        if {"unit", "crossed_with"} & self.model_fields_set or CONTRASTS[self.contrast].sides:
            return self
        columns = stimuli.shared_words(table)[:2]
        if not columns:
            return self
        unit, crossed_with = [SET, *columns][-2:]
        return self.model_copy(update={"unit": unit, "crossed_with": crossed_with})

    def _require_conditions(self) -> None:
        conditions = [side.removesuffix(RIGHT) for side in self.sides[::2]]
        if len(conditions) != 2 or self.sides != [
            f"{name}{answer}" for name in conditions for answer in (RIGHT, WRONG)
        ]:
            raise ValueError(
                f"sides: '{ACCURACY.name}' compares two conditions: [a{RIGHT}, a{WRONG}, b{RIGHT}, b{WRONG}], with "
                "your own names for a and b"
            )


# The scores that each kind of model can give, and how a refusal of another score names them.
_OF_KIND = {kind: names for kind in Kind if (names := [name for name, able in stimuli.SCORES.items() if kind in able])}
_OTHERS = {kind: f"`quantity: {'` or `'.join(names)}`" for kind, names in _OF_KIND.items()}


class SentenceSets(Section):
    """All sets of sentences of a study, by their names."""

    by_kind: ClassVar[ByKind] = scored(_OF_KIND)
    can_plant: ClassVar[bool] = True

    sets: dict[Name, SentenceSet]

    def needs(self) -> Iterator[Need]:
        for key, entry in self.sets.items():
            for name in entry.models:
                quantity = scored(stimuli.SCORES[entry.quantity], _OTHERS)
                what, why_not = f"the quantity '{entry.quantity}'", NO_SHARE if entry.contrast == SHARE.name else ""
                yield Need(f"sentence_sets.{key}.models", name, quantity, what, why_not, has_answers=entry.has_answers)

    def attended(self) -> Iterator[str]:
        for entry in self.sets.values():
            if entry.quantity == AULA:
                yield from entry.models

    def named(self) -> dict[str, Iterable[str]]:
        return {"sentence_sets": self.sets}
