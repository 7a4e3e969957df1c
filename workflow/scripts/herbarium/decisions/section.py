"""The keys of the configuration on decisions within constraints."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from herbarium.core.section import Name, Section
from herbarium.decisions.names import EXACT, METHODS
from herbarium.regions.mentions import LEVELS

Margin = Annotated[float, Field(gt=0, lt=1)]


class Groups(Section):
    """The groups of texts that are constrained, or measured."""

    groups: Literal[*LEVELS] | Name = Field(
        "continent",
        description="How texts are grouped: by the region that they name, `continent` or `country`, or by an attribute "
        "of the task's `groups`.",
    )
    least_texts: int = Field(
        20,
        ge=1,
        le=1_000_000,
        description="Smallest number of texts of a group in each training set; a group with fewer has no rate in "
        "training and is left out.",
    )
    margin: Margin = Field(
        0.05, description="How far the positive rate of a group may be from its rate in training (γ)."
    )


class Constrained(Groups):
    """The predictions of a model of the task, decided again so that groups keep their rates in training."""

    model_config = ConfigDict(serialize_by_alias=True)

    base: Name = Field(
        alias="from", description="The model or classifier of the task whose predictions are constrained."
    )
    by: Literal[*METHODS] = Field(
        EXACT,
        description="Method: `rba_paper`, `rba_released`, `rba` (Lagrangian relaxation as published, as released, and "
        "ours), `posterior_paper`, `posterior` (posterior regularisation as published, and by an exact dual), `exact` "
        "(the best decisions that meet the constraints).",
    )
