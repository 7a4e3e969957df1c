"""The section of the configuration on word associations."""

from collections.abc import Iterable, Iterator
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field, model_validator

from herbarium.core.errors import HerbariumError
from herbarium.core.section import ByKind, Correction, LocalPath, Name, Section, Wanted, read_by
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
        description="CSV of pairs of gendered words with `male` and `female`."
    )
    method: Method = Field(
        "pair",
        description="`pair`: the difference of the first pair, he − she by convention; `mean`: the mean difference of "
        "all pairs; `pca`: the first principal component of their differences.",
    )


class SemBiasList(Pinned):
    table: Place = Field(
        description="The authors' file, four pairs per line; or a folder with definition.csv, stereotype.csv and "
        "none.csv, whose product gives the instances."
    )

    @property
    def files(self) -> list[str]:
        """Its source files."""
        return list(map(str, lists.sembias_files(self.table)))

    @model_validator(mode="after")
    def _can_be_read(self) -> "SemBiasList":
        return _readable(self, lambda: lists.read_sembias(self.table))


class OccupationList(Pinned):
    table: Place = Field(description="CSV with the column `occupation`: words that have no gender by definition.")
    women: str | None = Field(None, description="The column with the share of women in each, in any unit.")

    @model_validator(mode="after")
    def _can_be_read(self) -> "OccupationList":
        return _readable(self, lambda: lists.read_occupations(self.table, self.women))


class AssociationTest(Section):
    words: Annotated[LocalPath, read_by(lists.read_test)] = Field(
        description="CSV with `role` (targets X and Y, attributes A and B), `set` (the name of each) and `word`."
    )
    templates: list[Annotated[str, AfterValidator(_with_slot)]] = Field(
        [], description="Sentences with the slot [word], such as `This is [word].`: SEAT; empty: words on their own."
    )
    sources: list[Name] = Field([], description="Sources to run it on, from `sources`; empty: all of them.")


def _readable(section, read):
    try:
        read()
    except HerbariumError as error:
        raise ValueError(str(error)) from error
    return section


class WordAssociations(Section):
    by_kind: ClassVar[ByKind] = VECTORS
    takes: ClassVar[tuple[str, ...]] = ("vectors",)

    sources: list[Name] = Field([], description="Sources of vectors to measure, by their names in `vectors`.")
    directions: dict[Name, GenderDirection] = Field(
        HE_SHE, min_length=1, description="Gender directions, by their names."
    )
    sembias: dict[Name, SemBiasList] = Field({}, description="SemBias lists, by their names.")
    occupations: dict[Name, OccupationList] = Field({}, description="Words to project on the directions.")
    tests: dict[Name, AssociationTest] = Field({}, description="Association tests, by their names.")
    similarity: dict[Name, Annotated[LocalPath, read_by(lists.read_similarities)]] = Field(
        {}, description="Files of word similarities: `word1`, `word2` and the human score, separated by tabs."
    )
    analogies: dict[Name, Annotated[LocalPath, read_by(lists.read_analogies)]] = Field(
        {}, description="Files of analogies: one `a b c d` per line, below lines `: section`."
    )
    level: float = Field(0.95, gt=0, lt=1, description="Nominal coverage of the intervals, over words and pairs.")
    correction: Correction = Field("holm", description="Adjustment of the p-values of each kind of number in a source.")

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
