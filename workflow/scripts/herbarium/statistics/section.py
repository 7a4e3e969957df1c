"""The section of the configuration on linear mixed models."""

from typing import Literal

from pydantic import Field

from herbarium.core.section import Correction, Level, Section


class MixedBootstrap(Section):
    replicates: int = Field(
        1000, ge=0, le=100_000, description="Replicates of the parametric bootstrap; 0: no interval of R²."
    )
    level: Level = 0.95
    weighted: bool = Field(True, description="Simulate responses with variance σ²/weight; `false`: σ², as released.")


class MixedTests(Section):
    correction: Correction = "holm"
    alpha: float = Field(0.05, gt=0, lt=1, description="Level of the test whose power is reported.")
    power: float = Field(0.8, gt=0, lt=1, description="Power for the minimum detectable effect.")
    equivalence_ratio: float = Field(
        1.08, gt=1, le=10, description="Equivalence bound: the logarithm of this association ratio."
    )
    equivalence_share: float = Field(
        0.1, gt=0, lt=1, description="Equivalence bound for groups: their share of the variance of profiles."
    )


class MixedModels(Section):
    engine: Literal["lme4", "none"] = Field(
        "lme4", description="`none` leaves mixed models out, on a machine without R."
    )
    bootstrap: MixedBootstrap = MixedBootstrap()
    tests: MixedTests = MixedTests()

    @property
    def are_fitted(self) -> bool:
        """Whether mixed models are fitted."""
        return self.engine != "none"

    @property
    def fitting(self) -> dict:
        """What a fit depends on, as plain data: not the later adjustment of p-values."""
        return self.model_dump(
            mode="json", include={"bootstrap": True, "tests": {"alpha", "power", "equivalence_ratio"}}
        )
