"""The section of the configuration on propagation."""

from pydantic import Field

from herbarium.core.section import Correction, QuickBootstrap, Section


class PropagationTests(Section):
    correction: Correction = Field("fdr_bh", description="Adjustment of the p-values of a family.")


class Propagation(Section):
    bootstrap: QuickBootstrap = Field(QuickBootstrap(), description="Intervals of the correlations.")
    tests: PropagationTests = Field(PropagationTests(), description="Tests of the correlations.")
