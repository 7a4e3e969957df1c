"""The section of the configuration on word associations."""

from collections.abc import Iterable, Iterator
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field, model_validator

from herbarium.core.errors import HerbariumError
from herbarium.core.section import ByKind, Correction, Level, LocalPath, Name, Section, Wanted, read_by
from herbarium.metrics.word_associations import lists
from herbarium.models.by_kind import VECTORS
from herbarium.models.data import Pinned, Place
from herbarium.vectors.directions import Method

HE_SHE = {"he-she": {"pairs": "resources/word_associations/pairs.csv"}}


def _with_slot(template: str) -> str:
    try:
        lists.check_templates([template])
    except HerbariumError as error:
        raise ValueError(str(error)) from error
    return template


class GenderDirection(Section):
    pairs: Annotated[LocalPath, read_by(lists.read_pairs)] = Field(
        description="CSV of pairs of gendered words: `male`, `female`."
    )
    method: Method = Field(
        "pair",
        description="Difference of the first pair (`pair`), mean difference (`mean`), or first principal component of "
        "the differences (`pca`).",
    )


class SemBiasList(Pinned):
    table: Place = Field(
        description="The authors' file; or a folder with definition.csv, stereotype.csv and none.csv, whose product "
        "is used."
    )

    @property
    def files(self) -> list[str]:
        """Its source files."""
        return list(map(str, lists.sembias_files(self.table)))

    @model_validator(mode="after")
    def _can_be_read(self) -> "SemBiasList":
        return _readable(self, lambda: lists.read_sembias(self.table))


class OccupationList(Pinned):
    table: Place = Field(description="CSV with `occupation`: words without gender by definition.")
    women: str | None = Field(None, description="Column of the share of women, in any unit.")

    @model_validator(mode="after")
    def _can_be_read(self) -> "OccupationList":
        return _readable(self, lambda: lists.read_occupations(self.table, self.women))


class AssociationTest(Section):
    words: Annotated[LocalPath, read_by(lists.read_test)] = Field(
        description="CSV of `role` (targets X, Y; attributes A, B), `set` (its name) and `word`."
    )
    templates: list[Annotated[str, AfterValidator(_with_slot)]] = Field(
        [], description="Sentences with [word], such as `This is [word].` (SEAT); empty: words alone."
    )
    sources: list[Name] = Field([], description="Those of `sources` to run it on; empty: all.")


def _readable(section, read):
    try:
        read()
    except HerbariumError as error:
        raise ValueError(str(error)) from error
    return section


class WordAssociations(Section):
    by_kind: ClassVar[ByKind] = VECTORS
    takes: ClassVar[tuple[str, ...]] = ("vectors",)

    sources: list[Name] = Field([], description="Sources of `vectors` to measure.")
    directions: dict[Name, GenderDirection] = Field(
        HE_SHE,
        min_length=1,
        description="Gender directions; empty: `he-she`, from `resources/word_associations/pairs.csv`.",
    )
    sembias: dict[Name, SemBiasList] = Field({})
    occupations: dict[Name, OccupationList] = Field({}, description="Words to project on the directions.")
    tests: dict[Name, AssociationTest] = Field({})
    similarity: dict[Name, Annotated[LocalPath, read_by(lists.read_similarities)]] = Field(
        {}, description="Word similarities, tab-separated: `word1`, `word2`, score."
    )
    analogies: dict[Name, Annotated[LocalPath, read_by(lists.read_analogies)]] = Field(
        {}, description="Analogies: `a b c d` per line, below lines `: section`."
    )
    level: Level = 0.95
    correction: Correction = "holm"

    @property
    def in_sentences(self) -> list[tuple[str, str]]:
        """(test, source) of everything measured in sentences."""
        return [(name, source) for name, test in self.tests.items() if test.templates for source in self.of_test(name)]

    def of_test(self, name: str) -> list[str]:
        """The sources on which a test is run."""
        return self.tests[name].sources or self.sources

    @property
    def files(self) -> list[str]:
        """The source files of its lists."""
        paths = [str(direction.pairs) for direction in self.directions.values()]
        paths += [file for entry in self.sembias.values() for file in entry.files]
        paths += [str(occupation.table) for occupation in self.occupations.values()] + [
            str(test.words) for test in self.tests.values()
        ]
        return list(dict.fromkeys([*paths, *map(str, self.similarity.values()), *map(str, self.analogies.values())]))

    @property
    def entry(self) -> dict:
        """The settings that determine the lists, as plain data."""
        kinds = {"directions", "sembias", "occupations", "tests", "similarity", "analogies"}
        return self.model_dump(mode="json", include=kinds)

    @model_validator(mode="after")
    def _something_is_measured(self) -> "WordAssociations":
        if self.sources and not any((self.sembias, self.occupations, self.tests, self.similarity, self.analogies)):
            raise ValueError(
                "sources: there is nothing to measure in them; name lists under `sembias`, `occupations`, `tests`, "
                "`similarity` or `analogies`"
            )
        for name, test in self.tests.items():
            if unknown := sorted(set(test.sources) - set(self.sources)):
                raise ValueError(f"tests.{name}.sources: '{unknown[0]}' is not one of `sources`")
        return self

    def vectors_wanted(self) -> Iterator[Wanted]:
        for source in self.sources:
            yield Wanted("word_associations.sources", source)
        for name, source in self.in_sentences:
            yield Wanted(f"word_associations.tests.{name}", source, in_sentences=True)

    def named(self) -> dict[str, Iterable[str]]:
        sections = ("directions", "sembias", "occupations", "tests", "similarity", "analogies")
        return {f"word_associations.{key}": getattr(self, key) for key in sections}
