"""The section of the configuration on propagation."""

from pydantic import Field

from herbarium.core.section import Bootstrap, Correction, Section


class PropagationBootstrap(Bootstrap):
    replicates: int = Field(1000, ge=0, description="Bootstrap replicates; 0 leaves the intervals out.")


class PropagationTests(Section):
    correction: Correction = Field("fdr_bh", description="Adjustment of the p-values of a family.")


class Propagation(Section):
    bootstrap: PropagationBootstrap = Field(PropagationBootstrap(), description="Intervals of the correlations.")
    tests: PropagationTests = Field(PropagationTests(), description="Tests of the correlations.")
