"""The section of the configuration on gender in the vectors of words in context."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field, model_validator

from herbarium.core.section import ByKind, Correction, Level, Name, Reference, Section, Wanted, read_by
from herbarium.metrics.gender_in_context import counts
from herbarium.metrics.gender_in_context.stimuli import read_neutral
from herbarium.models.by_kind import VECTORS
from herbarium.models.kinds import Kind
from herbarium.training import swapping


class GenderInContextSet(Section):
    sentences: Name | None = Field(None, description="Set of `sentence_sets` with two sides that differ in gender.")
    corpus: Name | None = Field(
        None, description="Instead: corpus whose sentences are paired with their gender-swapped copies (docs/swaps.md)."
    )
    word: str = Field("occupation", description="Column of the word whose vectors are compared.")
    stereotype: str | None = Field("stereotype", description="Column of the side that stereotypes associate with it.")
    neutral: Annotated[Path, read_by(read_neutral)] = Field(
        Path("resources/gender_in_context/neutral_swaps.csv"),
        description="CSV of words without gender (`word`) and replacements (`replacement`), a control for swapping.",
    )
    vectors: list[Name] = Field(min_length=1, description="Sources of vectors to measure.")

    @model_validator(mode="after")
    def _one_source(self) -> "GenderInContextSet":
        if (self.sentences is None) == (self.corpus is None):
            raise ValueError("a set has exactly one of 'sentences' and 'corpus'")
        for key in ("word", "stereotype"):
            if self.corpus and getattr(self, key) != type(self).model_fields[key].default:
                raise ValueError(f"'{key}' belongs to 'sentences'; occupations of a corpus are those of the list")
        return self


class GenderInContext(Section):
    by_kind: ClassVar[ByKind] = ByKind(
        {**VECTORS.computed, Kind.causal: "vectors of its layers, of words that come after the gendered one"}
    )
    takes: ClassVar[tuple[str, ...]] = ("vectors", "corpora", "sentence_sets")

    sets: dict[Name, GenderInContextSet] = Field({})
    nu: list[Annotated[float, Field(gt=0, le=1)]] = Field(
        [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0],
        min_length=1,
        description="Candidates for ν of the support vector machines.",
    )
    folds: int = Field(5, ge=2, le=100, description="Folds of cross-validation.")
    max_pairs: int = Field(500, ge=4, le=100_000, description="Largest number of pairs of a set, sampled.")
    level: Level = 0.95
    correction: Correction = "holm"
    corpora: list[Name] = Field([], description="Corpora in which gendered words are counted.")
    occupations: Annotated[Path, read_by(counts.read_occupations)] = Field(
        Path("resources/gender_in_context/occupations.csv"),
        description="CSV of occupations in corpora: `occupation`, `stereotype` (masculine or feminine).",
    )
    terms: Annotated[Path, read_by(swapping.read_pairs)] = Field(
        Path("resources/swaps/english_gender.csv"),
        description="CSV of gendered words swapped in corpora (docs/swaps.md).",
    )

    @property
    def measured(self) -> list[tuple[str, str]]:
        """(source of vectors, name of the set) of everything measured."""
        return [(source, name) for name, entry in self.sets.items() for source in entry.vectors]

    def refers(self) -> Iterator[Reference]:
        for name in self.corpora:
            yield Reference("gender_in_context.corpora", name, "corpora")
        for name, entry in self.sets.items():
            key = f"gender_in_context.sets.{name}"
            if entry.corpus is None:
                yield Reference(f"{key}.sentences", entry.sentences, "sentence_sets")
            else:
                yield Reference(f"{key}.corpus", entry.corpus, "corpora")

    def vectors_wanted(self) -> Iterator[Wanted]:
        for name, entry in self.sets.items():
            for source in entry.vectors:
                yield Wanted(f"gender_in_context.sets.{name}.vectors", source, in_sentences=True)

    def named(self) -> dict[str, Iterable[str]]:
        return {"gender_in_context.sets": self.sets}

    @model_validator(mode="after")
    def _nu_once(self) -> "GenderInContext":
        if len(set(self.nu)) < len(self.nu):
            raise ValueError("nu: a value is repeated")
        return self
