"""The section of the configuration on gender in the vectors of words in context."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field, model_validator

from herbarium.core.section import ByKind, Correction, Name, Reference, Section, Wanted, read_by
from herbarium.metrics.gender_in_context import counts
from herbarium.metrics.gender_in_context.stimuli import read_neutral
from herbarium.models.by_kind import VECTORS
from herbarium.models.kinds import Kind
from herbarium.training import swapping


class GenderInContextSet(Section):
    sentences: Name | None = Field(
        None,
        description="A set of `sentence_sets` with two sides that differ in gender: `format: winobias_gender`, or "
        "your own table. For causal models the gendered word comes first: "
        "`resources/gender_in_context/pronoun_first.csv`.",
    )
    corpus: Name | None = Field(
        None,
        description="Instead of it, a corpus of the study: its sentences that contain one of the `occupations` and "
        "gendered words, each paired with the same sentence with those words swapped (docs/swaps.md). The sides are "
        "feminine and masculine.",
    )
    word: str = Field("occupation", description="Column that names the word of each pair whose vectors are compared.")
    stereotype: str | None = Field(
        "stereotype",
        description="Column with the side that stereotypes associate with the word; empty: none, and numbers "
        "that need it are left out.",
    )
    neutral: Annotated[Path, read_by(read_neutral)] = Field(
        Path("resources/gender_in_context/neutral_swaps.csv"),
        description="CSV of words without gender (`word`) and their replacements (`replacement`): a control for what a "
        "swap changes that has nothing to do with gender.",
    )
    vectors: list[Name] = Field(min_length=1, description="Sources of vectors to measure, by name: layers of models.")

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

    sets: dict[Name, GenderInContextSet] = Field({}, description="Pairs of sentences, by their names.")
    nu: list[Annotated[float, Field(gt=0, le=1)]] = Field(
        [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0],
        min_length=1,
        description="Candidates for ν of the support vector machines: each fold uses the one that does best in the "
        "others.",
    )
    folds: int = Field(5, ge=2, le=100, description="Folds of cross-validation.")
    max_pairs: int = Field(500, ge=4, le=100_000, description="Largest number of pairs of a set, a random sample.")
    level: float = Field(0.95, gt=0, lt=1, description="Nominal coverage of the intervals, over words.")
    correction: Correction = Field("holm", description="Adjustment of the p-values of a source's accuracy gaps.")
    corpora: list[Name] = Field([], description="Corpora of the study in which gendered words are counted.")
    occupations: Annotated[Path, read_by(counts.read_occupations)] = Field(
        Path("resources/gender_in_context/occupations.csv"),
        description="CSV of the occupations to look for in corpora: `occupation`, and `stereotype`, masculine or "
        "feminine.",
    )
    terms: Annotated[Path, read_by(swapping.read_pairs)] = Field(
        Path("resources/swaps/english_gender.csv"),
        description="CSV of gendered words that are swapped in sentences of corpora (docs/swaps.md).",
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
