"""The section of the configuration on sentences of one's own."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from herbarium.core.errors import HerbariumError
from herbarium.core.section import Bootstrap, Correction, Name, Need, Section, Value, located
from herbarium.metrics.sentence_sets import stimuli
from herbarium.metrics.sentence_sets.formats import FORMATS, TABLE
from herbarium.statistics.contrasts import ACCURACY, CANDIDATES, CONTRASTS, NO_SHARE, PAIRS, RIGHT, SET, SHARE, WRONG


class Resampling(Bootstrap):
    replicates: int = Field(
        1000, ge=0, le=100_000, description="Resamples of units, the same for all models; 0 leaves them out."
    )


class SentenceSet(Section):
    format: Literal[*FORMATS] = Field(
        TABLE,
        description="What `table` is: `table`, a CSV of your own; `winobias`, a folder with WinoBias as its authors "
        "give it away, whose sides are `pro` and `anti`; `winobias_antecedent`, the same as questions whom a pronoun "
        "refers to (docs/winobias.md).",
    )
    table: Path = Field(
        description="CSV of sentences with `id`, `set`, `side`, `text`, and, if wanted, `group` and covariates; or the "
        "folder of another `format`."
    )
    models: list[Name] = Field(min_length=1, description="Models to measure, by their names.")
    quantity: Literal[*stimuli.SCORES] = Field(
        description="The score of a sentence: a quantity (docs/scoring.md); `likelihood`, which is `pll` of masked and "
        "`ll` of causal models; `slot_likelihood`, which is `slot` of masked and `ll` of causal models; "
        "`slot_mean`, the same with `slot` per token; or `association`, which is `slot` minus "
        "`slot_prior`."
    )
    contrast: Literal[*CONTRASTS] = Field(
        PAIRS,
        description="`pairs`: the first side's score minus the second's; `share`: per cent of pairs whose first side "
        "has the higher score; `candidates`: each side's score minus the mean of its set; "
        "`accuracy`: per cent of sets whose right answer has the higher score, in two conditions, and the difference.",
    )
    sides: list[Value] = Field(min_length=2, description="The sides of every set, the first of them first.")
    unit: str = Field(
        SET, description="What is resampled and counts once: each set, or all sets with the same value of this column."
    )
    crossed_with: str | None = Field(
        None,
        description="A second column, whose values are units too; every set is of one of either column. Empty: none.",
    )
    correction: Correction = Field("holm", description="Adjustment of the p-values of a model over the groups.")
    bootstrap: Resampling = Field(Resampling(), description="Intervals and resamples.")

    @field_validator("table")
    @classmethod
    def _table_can_be_read(cls, path: Path, info: ValidationInfo) -> Path:
        path = located(path)
        if "format" in info.data:
            form = FORMATS[info.data["format"]]
            try:
                form.read(form.files(path))
            except HerbariumError as error:
                raise ValueError(str(error)) from error
        return path

    @property
    def files(self) -> list[str]:
        """The files that the sentences are read from."""
        return [str(path) for path in FORMATS[self.format].files(self.table)]

    @model_validator(mode="after")
    def _table_has_what_is_compared(self) -> "SentenceSet":
        if len(set(self.sides)) < len(self.sides):
            raise ValueError(f"sides: a side stands there twice: {', '.join(self.sides)}")
        if self.contrast == ACCURACY:
            self._require_conditions()
        elif self.contrast != CANDIDATES and len(self.sides) != 2:
            raise ValueError(f"sides: '{self.contrast}' compares two sides, not {len(self.sides)}")
        if self.quantity == stimuli.CPS and len(self.sides) != 2:
            raise ValueError(f"quantity: '{self.quantity}' is of pairs, and there are {len(self.sides)} sides")
        try:
            table = FORMATS[self.format].read(self.files)
            units = list(filter(None, [self.unit, self.crossed_with]))
            stimuli.check(self.table, table, self.sides, units, self.contrast, self.quantity)
        except HerbariumError as error:
            raise ValueError(str(error)) from error
        return self

    def _require_conditions(self) -> None:
        of = [side.removesuffix(RIGHT) for side in self.sides[::2]]
        if len(of) != 2 or self.sides != [f"{name}{answer}" for name in of for answer in (RIGHT, WRONG)]:
            raise ValueError(
                f"sides: '{ACCURACY}' compares two conditions: [a{RIGHT}, a{WRONG}, b{RIGHT}, b{WRONG}], with names of "
                "yours for a and b"
            )


class SentenceSets(Section):
    """All sets of sentences of a study, by their names."""

    sets: dict[Name, SentenceSet]

    def needs(self) -> Iterator[Need]:
        for key, entry in self.sets.items():
            for name in entry.models:
                kinds = set(stimuli.SCORES[entry.quantity])
                what, why_not = f"the quantity '{entry.quantity}'", NO_SHARE if entry.contrast == SHARE else ""
                yield Need(f"sentence_sets.{key}.models", name, kinds, what, why_not)

    def named(self) -> dict[str, Iterable[str]]:
        return {"sentence_sets": self.sets}
