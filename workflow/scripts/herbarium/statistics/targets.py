"""What is asked for besides what metrics ask for, where there are mixed models."""

from herbarium.core.targets import Targets


def group_fits(asked: Targets) -> list[str]:
    """The fits of the mixed model of groups. asked: by all metrics."""
    return [f"<results>/fits/groups/{model}/{data}.parquet" for model, data in asked.grouped]


def of_fits(asked: Targets) -> Targets:
    """The tidy numbers of all fits, and the part of the page on groups: of nothing, if nothing is fitted."""
    return Targets(
        numbers=["<results>/metrics/mixed_effects.parquet"] if asked.fits or asked.grouped else [],
        parts=["<results>/parts/groups.json"] if asked.grouped else [],
    )
