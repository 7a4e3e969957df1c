"""The section of the configuration on pseudo-perplexity."""

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field, model_validator

from herbarium.core.section import ByKind, Name, Need, Reference, Section
from herbarium.metrics.perplexity.stimuli import QUANTITIES
from herbarium.models.by_kind import ITS_BASE, scored
from herbarium.models.kinds import Kind


class Perplexity(Section):
    takes: ClassVar[tuple[str, ...]] = ("corpora",)
    by_kind: ClassVar[ByKind] = scored(
        QUANTITIES, {Kind.seq2seq: "`downstream`, for what a change of a model costs", Kind.extractive: ITS_BASE}
    )

    models: list[Name] = Field([], description="Masked and causal models to measure, by name.")
    texts: list[Name] = Field([], description="Corpora, by name; their held-out texts are measured.")
    max_texts: int = Field(200, ge=2, le=1_000_000, description="Largest number of texts of a corpus.")
    max_words: int = Field(
        64,
        ge=1,
        le=100_000,
        description="Longer texts are truncated to this many words: each token needs its own pass.",
    )
    level: float = Field(0.95, gt=0, lt=1, description="Nominal coverage of the intervals.")
    worst_ratio: float = Field(
        1.1,
        ge=1,
        le=1000,
        description="A derived model whose pseudo-perplexity is more than this many times what it was before is "
        "flagged wherever its change is shown.",
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
