"""What is asked for besides what metrics ask for, where there are mixed models."""

from herbarium.core.targets import Targets
from herbarium.statistics.fits_overview import METRIC

# The tidy numbers of all fits, and the part of the page on groups.
NUMBERS, PART = f"<results>/metrics/{METRIC}.parquet", "<results>/parts/groups.json"


def group_fits(asked: Targets) -> list[str]:
    """The fits of the mixed model of groups. asked: by all metrics."""
    return [f"<results>/fits/groups/{model}/{data}.parquet" for model, data in asked.grouped]


def of_fits(asked: Targets) -> Targets:
    """What comes of all fits: nothing, if nothing is fitted."""
    return Targets(
        numbers=[NUMBERS] if asked.fits or asked.grouped else [],
        parts=[PART] if asked.grouped else [],
    )
