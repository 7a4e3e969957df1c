"""The keys of the configuration on models with a planted bias, and on corpora that models go on learning from."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import ConfigDict, Field, model_validator

from herbarium.core.errors import HerbariumError, did_you_mean
from herbarium.core.section import LocalPath, Name, Need, Section, Value, located
from herbarium.models.data import Data
from herbarium.scoring.quantities import Kind
from herbarium.training import country_swapping, swapping


class Testbed(Section):
    """How the planted-bias models are trained; docs/testbed.md defines what they learn."""

    steps: int = Field(1500, ge=10, le=1_000_000, description="Training steps.")
    batch_size: int = Field(256, ge=1, le=100_000, description="Sentences a step.")


# Which terms can be exchanged: our list of them, and what reads such a list.
TERMS = {
    "gender": (Path("resources/swaps/english_gender.csv"), swapping.read_pairs),
    "gender_published": (Path("resources/swaps/english_gender_published.csv"), swapping.read_directed),
    "countries": (Path("resources/swaps/english_countries.csv"), country_swapping.read_terms),
}


class Swapped(Section):
    """Another corpus, with terms exchanged (docs/mitigation.md)."""

    model_config = ConfigDict(serialize_by_alias=True)

    corpus: Name = Field(alias="from", description="The corpus, by its name.")
    terms: Literal[*TERMS] = Field(
        description="Which terms: gendered words, those of the published list, or countries and what their people are "
        "called."
    )
    table: LocalPath | None = Field(None, description="Table of the terms; empty: ours in English.")
    sides: Literal["one", "two"] = Field(
        "two", description="`two`: the texts as they are besides; `one`: exchanged ones in their place."
    )

    @property
    def file(self) -> Path:
        """The table of the terms."""
        return self.table or located(TERMS[self.terms][0])

    @model_validator(mode="after")
    def _list_can_be_read(self) -> "Swapped":
        try:
            TERMS[self.terms][1](self.file)
        except HerbariumError as error:
            raise ValueError(str(error)) from error
        return self


class Corpus(Data):
    """Texts that a model goes on learning from. Exactly one of `SOURCES` says where they come from."""

    SOURCES: ClassVar[tuple[str, ...]] = (*Data.SOURCES, "planted", "swapped")

    planted: Name | None = Field(None, description="A planted model of the study: the text that it learned.")
    swapped: Swapped | None = Field(None, description="Another corpus, with terms exchanged.")
    text: str = Field("text", description="Column of the texts.")
    splits: list[Value] = Field([], description="Splits of the hub data set that are read; empty: all.")
    max_texts: int | None = Field(
        None, ge=10, le=100_000_000, description="At most so many texts, drawn at random; empty: all."
    )


class Corpora(Section):
    """All corpora of a study, by their names."""

    corpora: dict[Name, Corpus]

    def named(self) -> dict[str, Iterable[str]]:
        return {"corpora": self.corpora}

    def needs(self) -> Iterator[Need]:
        for name, corpus in self.corpora.items():
            if corpus.planted is not None:
                yield Need(f"corpora.{name}.planted", corpus.planted, {Kind.masked}, "a text that was planted")

    def sources(self, name: str) -> list[str]:
        """A corpus, the one that it is made from, and so on.

        Raises ValueError where one of them is none of the study's, or comes from itself.
        """
        chain = [name]
        while (swapped := self.corpora[chain[-1]].swapped) is not None:
            if swapped.corpus not in self.corpora:
                hint = did_you_mean(swapped.corpus, self.corpora)
                raise ValueError(
                    f"corpora.{chain[-1]}.swapped.from: '{swapped.corpus}' is not one of the corpora{hint}"
                )
            if swapped.corpus in chain:
                raise ValueError(f"corpora.{name}.swapped.from: '{name}' comes from itself")
            chain.append(swapped.corpus)
        return chain

    @model_validator(mode="after")
    def _come_from_somewhere(self) -> "Corpora":
        for name in self.corpora:
            self.sources(name)
        return self
