"""The section of the configuration on discrimination scores."""

from collections.abc import Iterable, Iterator
from itertools import permutations
from typing import ClassVar

from pydantic import Field, field_validator, model_validator

from herbarium.core.errors import HerbariumError
from herbarium.core.resources import slots
from herbarium.core.section import ByKind, Correction, Level, LocalPath, Measured, Name, Need, Section, Value
from herbarium.metrics.discrimination_scores import stimuli
from herbarium.models.by_kind import scored
from herbarium.models.kinds import Kind

_INSTEAD = {Kind.masked: "`matched_guise`, or `sentence_sets` with `quantity: slot_mean`"}


class DecisionTable(Section):
    table: LocalPath = Field(description="Prompts: a CSV, or .jsonl with an object per line.")
    text: str = Field(description="Column of the prompts.")
    decision: str = Field(description="Column of the decision, the sampling unit.")
    references: dict[str, Value] = Field(
        {}, description="Categorical columns of the person, each with its reference level."
    )
    numeric: list[str] = Field([], description="Numeric columns of the person; effects are per standard deviation.")
    frame: str = Field(
        stimuli.FRAME,
        description="What is asked: [text], once, and [answer] at the end; empty: the authors' conversation.",
    )
    favourable: list[Value] = Field(
        ["yes", "Yes"], min_length=1, description="Spellings of the answer that favours the person."
    )
    unfavourable: list[Value] = Field(["no", "No"], min_length=1, description="Spellings of the other answer.")
    models: Measured = Field(min_length=1)

    @property
    def effects(self) -> dict:
        """The columns of the person, as plain data."""
        return {"references": self.references, "numeric": self.numeric}

    @property
    def prompts_from(self) -> dict:
        """What `stimuli.read` takes, as plain data."""
        return {"table": str(self.table), "text": self.text, "decision": self.decision, **self.effects}

    @property
    def files(self) -> list[str]:
        return [str(self.table)]

    @property
    def answers(self) -> dict[str, list[str]]:
        """The spellings of each side."""
        return {side: getattr(self, side) for side in stimuli.SIDES}

    @field_validator("frame")
    @classmethod
    def _frame_ends_with_the_answer(cls, frame: str) -> str:
        if slots(frame) != stimuli.SLOTS or not frame.endswith("[answer]"):
            raise ValueError(f"'{frame}' should have [text] once and end with [answer]")
        return frame

    @model_validator(mode="after")
    def _answers_exclude_each_other(self) -> "DecisionTable":
        answers = [*self.favourable, *self.unfavourable]
        for answer in answers:
            if not answer or answer.strip() != answer:
                raise ValueError(
                    f"the answer '{answer}' is empty, or has white space around it, which belongs in 'frame'"
                )
        for one, other in permutations(answers, 2):
            if other.startswith(one):
                raise ValueError(
                    f"the answer '{other}' begins with '{one}', so that their probabilities do not add up; leave out "
                    "one of them"
                )
        return self

    @model_validator(mode="after")
    def _table_can_be_read(self) -> "DecisionTable":
        named = [self.text, self.decision, *stimuli.columns(**self.effects)]
        if len(named) == 2:
            raise ValueError("name a column of the person, in 'references' or 'numeric'")
        for column in named:
            if named.count(column) > 1:
                raise ValueError(
                    f"the column '{column}' is named twice in 'text', 'decision', 'references' and 'numeric'"
                )
        try:
            stimuli.read(**self.prompts_from)
        except HerbariumError as error:
            raise ValueError(str(error)) from error
        return self


class DiscriminationScores(Section):
    by_kind: ClassVar[ByKind] = scored(stimuli.QUANTITIES, _INSTEAD)
    can_plant: ClassVar[bool] = True

    tables: dict[Name, DecisionTable] = Field({})
    level: Level = 0.95
    correction: Correction = "holm"

    @property
    def measured(self) -> list[tuple[str, str]]:
        """(model, name of the table) of everything measured."""
        return [(model, name) for name, entry in self.tables.items() for model in entry.models]

    @property
    def models(self) -> list[str]:
        """Every model that is measured, once."""
        return list(dict.fromkeys(model for model, _ in self.measured))

    def needs(self) -> Iterator[Need]:
        for model, name in self.measured:
            key = f"discrimination_scores.tables.{name}.models"
            yield Need(key, model, self.by_kind, "the probability of an answer to a prompt", has_answers=True)

    def named(self) -> dict[str, Iterable[str]]:
        return {"discrimination_scores.tables": self.tables}
