"""The section of the configuration on linear mixed models."""

from typing import Literal

from pydantic import Field

from herbarium.core.section import Correction, Section


class MixedBootstrap(Section):
    replicates: int = Field(
        1000, ge=0, le=100_000, description="Replicates of the parametric bootstrap; 0 leaves R² without an interval."
    )
    level: float = Field(0.95, gt=0, lt=1, description="Nominal coverage of the intervals of bias score and R².")
    weighted: bool = Field(
        True,
        description="Responses are simulated with variance σ²/weight; `false`: with σ², as in the released code, "
        "although the models are fitted with weights.",
    )


class MixedTests(Section):
    correction: Correction = Field(
        "holm",
        description="Adjustment of the p-values of a family: the same data, subset and contrast, over all models.",
    )
    alpha: float = Field(0.05, gt=0, lt=1, description="Level of the test whose power is reported.")
    power: float = Field(0.8, gt=0, lt=1, description="Power at which the minimum detectable effect is reported.")
    equivalence_ratio: float = Field(
        1.08,
        gt=1,
        le=10,
        description="Association ratios between the inverse of this value and the value itself count as small: the "
        "bound of the equivalence test is its logarithm. The default is half of what small models show of a planted "
        "bias of strength 1 (`make construct`).",
    )
    equivalence_share: float = Field(
        0.1,
        gt=0,
        lt=1,
        description="Bound of the equivalence test for groups: the share of the variance of profiles that lies between "
        "them.",
    )


class MixedModels(Section):
    engine: Literal["lme4", "none"] = Field(
        "lme4", description="The engine that fits the mixed models; `none`, for a machine without R, leaves them out."
    )
    bootstrap: MixedBootstrap = Field(MixedBootstrap(), description="Intervals of the effect sizes.")
    tests: MixedTests = Field(MixedTests(), description="Tests of the bias scores.")

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
