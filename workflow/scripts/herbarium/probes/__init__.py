"""Probes: the sentences that models are asked about. Know no model."""


def schema_of(probe: str) -> str:
    """The name of the schema of a probe's files: probes of one kind, "kind/which", share one."""
    return f"{probe.partition('/')[0]}_probe"
