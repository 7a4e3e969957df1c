"""The section of the configuration on languages in one space."""

from collections.abc import Iterable, Iterator
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from herbarium.core.errors import HerbariumError, require_known
from herbarium.core.section import ByKind, Correction, Family, Level, Name, Section, Wanted
from herbarium.metrics.languages import lists as of_lists
from herbarium.metrics.languages import score
from herbarium.metrics.languages.lists import FORMATS, LISTS, MIBS
from herbarium.models.by_kind import VECTORS
from herbarium.models.data import Pinned, Place


class Language(Pinned):
    source: Name = Field(description="Its source of `vectors`.")
    format: Literal[*FORMATS] = Field(LISTS, description="A folder of `lists`, or the authors' (`mibs`).")
    code: str | None = Field(
        None, pattern="^[a-z]{2,5}$", description="For `mibs`: the language in file names, such as `es`."
    )
    lists: Place = Field(description="Folder of occupations and seed words.")
    vocabulary: Place | None = Field(None, description="Further words to search for neighbours, one per line.")

    @property
    def read(self) -> of_lists.Lists:
        return of_lists.read(self.lists, self.format, self.code)

    @property
    def files(self) -> list[str]:
        """The source files of its words."""
        paths = of_lists.files(self.lists, self.format, self.code)
        return [str(path) for path in (*paths, self.vocabulary) if path is not None]

    @property
    def entry(self) -> dict:
        """The settings that determine the words, as plain data."""
        return self.model_dump(mode="json", include={"format", "code", "lists", "vocabulary"})

    @model_validator(mode="after")
    def _lists_can_be_read(self) -> "Language":
        if (self.format == MIBS) != (self.code is not None):
            raise ValueError(f"'code' belongs to 'format: {MIBS}', which needs it")
        try:
            _ = self.read
            if self.vocabulary is not None:
                of_lists.read_vocabulary(self.vocabulary)
        except HerbariumError as error:
            raise ValueError(str(error)) from error
        return self


class Alignment(Pinned):
    language: Name = Field(description="The language that is mapped.")
    pivot: Name = Field(description="The language into whose space it is mapped.")
    train: Place = Field(description="Dictionary that the alignment is fitted to: a word and its translation per line.")
    test: Place = Field(description="Dictionary of other words, whose translations are searched for.")

    @property
    def name(self) -> str:
        return f"{self.language}-{self.pivot}"

    @property
    def files(self) -> list[str]:
        return [str(self.train), str(self.test)]

    @model_validator(mode="after")
    def _dictionaries_can_be_read(self) -> "Alignment":
        if self.language == self.pivot:
            raise ValueError(f"'{self.language}' is aligned with itself")
        try:
            of_lists.read_dictionaries(self.train, self.test)
        except HerbariumError as error:
            raise ValueError(str(error)) from error
        return self


class Space(Section):
    languages: dict[Name, Language] = Field(min_length=1)
    alignments: list[Alignment] = Field([])

    @model_validator(mode="after")
    def _alignments_are_of_its_languages(self) -> "Space":
        for place, alignment in enumerate(self.alignments):
            for key in ("language", "pivot"):
                require_known(f"alignments.{place}.{key}", getattr(alignment, key), self.languages, "languages")
        names = [alignment.name for alignment in self.alignments]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"alignments: two are called '{twice}'")
        return self

    def aligned_to(self, language: str) -> list[tuple[str, Alignment]]:
        """The alignments that include a language, and the side of their dictionaries with its words."""
        sides = [("source" if alignment.language == language else "target", alignment) for alignment in self.alignments]
        return [(side, alignment) for side, alignment in sides if language in (alignment.language, alignment.pivot)]


class Languages(Section):
    by_kind: ClassVar[ByKind] = VECTORS
    takes: ClassVar[tuple[str, ...]] = ("vectors",)

    spaces: dict[Name, Space] = Field({}, description="Languages measured together.")
    level: Level = 0.95
    correction: Correction = "holm"

    @property
    def vocabularies(self) -> list[tuple[str, str]]:
        """(name of the space, language) of all words whose vectors are needed."""
        return [(name, language) for name, space in self.spaces.items() for language in space.languages]

    @property
    def aligned(self) -> list[tuple[str, str]]:
        """(name of the space, name of the alignment) of all."""
        return [(name, alignment.name) for name, space in self.spaces.items() for alignment in space.alignments]

    def alignment(self, space: str, name: str) -> Alignment:
        return next(alignment for alignment in self.spaces[space].alignments if alignment.name == name)

    @property
    def sources(self) -> list[str]:
        """Every source that is measured, once."""
        return list(
            dict.fromkeys(language.source for space in self.spaces.values() for language in space.languages.values())
        )

    def vectors_wanted(self) -> Iterator[Wanted]:
        for space, name in self.vocabularies:
            source = self.spaces[space].languages[name].source
            yield Wanted(f"languages.spaces.{space}.languages.{name}.source", source, False)

    def named(self) -> dict[str, Iterable[str]]:
        of_spaces = {f"languages.spaces.{name}.languages": space.languages for name, space in self.spaces.items()}
        return {"languages.spaces": self.spaces} | of_spaces

    def families(self) -> Iterator[Family]:
        for name, space in self.spaces.items():
            n_seeds = min(len(entry.read.seeds) for entry in space.languages.values())
            n = len(space.languages) + len(space.alignments)
            what = "what seed words share in each language"
            arrangements = score.arrangements(n_seeds)
            yield Family(f"languages.spaces.{name}", what, n, arrangements, 1, self.correction)
