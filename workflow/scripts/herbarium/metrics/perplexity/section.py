"""The section of the configuration on pseudo-perplexity."""

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field, model_validator

from herbarium.core.section import ByKind, Level, Measured, Name, Need, Reference, Section
from herbarium.metrics.perplexity.stimuli import QUANTITIES
from herbarium.models.by_kind import ITS_BASE, scored
from herbarium.models.kinds import Kind


class Perplexity(Section):
    takes: ClassVar[tuple[str, ...]] = ("corpora",)
    by_kind: ClassVar[ByKind] = scored(
        QUANTITIES, {Kind.seq2seq: "`downstream`, for what a change of a model costs", Kind.extractive: ITS_BASE}
    )

    models: Measured = Field([])
    texts: list[Name] = Field([], description="Corpora whose held-out texts are measured.")
    max_texts: int = Field(200, ge=2, le=1_000_000, description="Largest number of texts of a corpus.")
    max_words: int = Field(64, ge=1, le=100_000, description="Words that a text is cut to.")
    level: Level = 0.95
    worst_ratio: float = Field(
        1.1, ge=1, le=1000, description="Flag derived models whose pseudo-perplexity rises by more than this factor."
    )

    @model_validator(mode="after")
    def _models_and_texts(self) -> "Perplexity":
        if bool(self.models) != bool(self.texts):
            raise ValueError("'models' and 'texts' belong together")
        return self

    def needs(self) -> Iterator[Need]:
        for name in self.models:
            yield Need("perplexity.models", name, self.by_kind, "pseudo-perplexity")

    def refers(self) -> Iterator[Reference]:
        for name in self.texts:
            yield Reference("perplexity.texts", name, "corpora")
