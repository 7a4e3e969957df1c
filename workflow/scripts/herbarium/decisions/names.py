"""Names of the methods of deciding within constraints, as in the configuration and tables."""

METHODS = (RBA_PAPER, RBA_RELEASED, RBA, POSTERIOR_PAPER, POSTERIOR, EXACT) = (
    *("rba_paper", "rba_released", "rba", "posterior_paper", "posterior", "exact"),
)
