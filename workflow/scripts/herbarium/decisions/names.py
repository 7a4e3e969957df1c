"""Names of the ways to decide within constraints, as the configuration and tables have them."""

METHODS = (RBA_PAPER, RBA_RELEASED, RBA, POSTERIOR_PAPER, POSTERIOR, EXACT) = (
    *("rba_paper", "rba_released", "rba", "posterior_paper", "posterior", "exact"),
)
