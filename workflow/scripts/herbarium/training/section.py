"""The section of the configuration on models with a planted bias."""

from pydantic import Field

from herbarium.core.section import Section


class Testbed(Section):
    """How the planted-bias models are trained; docs/testbed.md defines what they learn."""

    steps: int = Field(1500, ge=10, le=1_000_000, description="Training steps.")
    batch_size: int = Field(256, ge=1, le=100_000, description="Sentences a step.")
