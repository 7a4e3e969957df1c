"""The keys of the configuration on decisions within constraints."""

from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field

from herbarium.core.section import Name, Section
from herbarium.decisions.names import EXACT, METHODS
from herbarium.regions.mentions import LEVELS

Margin = Annotated[float, Field(gt=0, lt=1)]


class Groups(Section):
    """The groups of texts that are constrained, or measured."""

    called: ClassVar[str] = "Constraints"

    groups: Literal[*LEVELS] | Name = Field(
        "continent",
        description="Groups of texts: the `continent` or `country` that they name, or an attribute in the task's "
        "`groups`.",
    )
    least_texts: int = Field(
        20, ge=1, le=1_000_000, description="Groups with fewer texts in a training set are left out."
    )
    margin: Margin = Field(
        0.05, description="Largest distance of a group's positive rate from its rate in training (γ)."
    )


class Constrained(Groups):
    """The predictions of a model of the task, decided again so that groups keep their rates in training."""

    model_config = ConfigDict(serialize_by_alias=True)

    base: Name = Field(alias="from", description="Model or classifier of the task.")
    by: Literal[*METHODS] = Field(EXACT, description="Method (docs/metrics/amplification.md).")
