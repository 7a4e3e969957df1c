"""The section of the configuration on social bias probing."""

from collections.abc import Iterable, Iterator
from typing import Annotated, ClassVar

from pydantic import Field

from herbarium.core.section import ByKind, Correction, Level, LocalPath, Measured, Name, Need, Section, read_by
from herbarium.metrics.sofa import lists, stimuli
from herbarium.models.by_kind import scored


class Probes(Section):
    probes: Annotated[LocalPath, read_by(lists.read)] = Field(
        description="Table (.csv, .csv.gz, .tsv, .parquet) with `category`, `identity`, `stereotype` and `probe`."
    )
    models: Measured = Field(min_length=1)

    @property
    def files(self) -> list[str]:
        return [str(self.probes)]


class Sofa(Section):
    by_kind: ClassVar[ByKind] = scored(stimuli.QUANTITIES)
    can_plant: ClassVar[bool] = True

    tables: dict[Name, Probes] = Field({})
    level: Level = 0.95
    correction: Correction = "holm"

    @property
    def measured(self) -> list[tuple[str, str]]:
        """(model, table) of everything measured."""
        return [(model, name) for name, entry in self.tables.items() for model in entry.models]

    @property
    def models(self) -> list[str]:
        """Every model that is measured, once."""
        return list(dict.fromkeys(model for model, _ in self.measured))

    def needs(self) -> Iterator[Need]:
        for model, name in self.measured:
            yield Need(f"sofa.tables.{name}.models", model, self.by_kind, "the perplexity of a probe")

    def named(self) -> dict[str, Iterable[str]]:
        return {"sofa.tables": self.tables}
