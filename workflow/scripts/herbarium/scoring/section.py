"""The configuration's section on number formats."""

from pydantic import Field

from herbarium.core.section import Section


class Precision(Section):
    """What a number format may change against float32; measured before scoring, for each model and set of stimuli."""

    sentences: int = Field(256, ge=1, le=100_000, description="Stimuli scored in both formats.")
    max: float = Field(
        0.05, ge=0, le=10, description="Largest accepted change of a sentence's mean log-probability per token."
    )
    mean: float = Field(0.01, ge=0, le=10, description="Largest accepted mean of absolute changes.")
