"""The section of the configuration on CrowS-Pairs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field, model_validator

from herbarium.core.errors import HerbariumError
from herbarium.core.section import ByKind, Measured, Need, Section, read_by
from herbarium.metrics.crows_pairs import stimuli
from herbarium.models.by_kind import scored
from herbarium.statistics.within_sets import NO_SHARE

Remarks = Annotated[Path, read_by(stimuli.read_remarks)]
PairTable = Annotated[Path, read_by(stimuli.read)]


class CrowsPairs(Section):
    by_kind: ClassVar[ByKind] = scored(stimuli.QUANTITIES)

    table: PairTable | None = Field(None, description="The authors' CSV, with sent_more, sent_less and bias_type.")
    remarks: Remarks | None = Field(
        None, description="CSV of `pair` (its row, from 0) and `remark`: numbers without these pairs are reported, too."
    )
    models: Measured = Field([])

    @model_validator(mode="after")
    def _table_and_models(self) -> "CrowsPairs":
        if (self.table is None) != (not self.models):
            raise ValueError("'table' and 'models' belong together")
        if self.remarks:
            if not self.table:
                raise ValueError("'remarks' are about the pairs of 'table'")
            try:
                stimuli.check_remarks(self.remarks, stimuli.read(self.table))
            except HerbariumError as error:
                raise ValueError(str(error)) from error
        return self

    def needs(self) -> Iterator[Need]:
        for name in self.models:
            yield Need("crows_pairs.models", name, self.by_kind, "the score of a sentence", NO_SHARE)
