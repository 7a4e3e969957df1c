"""Targets in addition to those of metrics: fits of all mixed models, and groups."""

from herbarium.core.targets import Targets
from herbarium.statistics import fits_overview, grouped

# The tidy numbers of all fits, of groups, and the part of the page on groups.
FITS = f"<work>/metrics/{fits_overview.METRIC}.parquet"
GROUPS, PART = f"<work>/metrics/{grouped.METRIC}.parquet", "<work>/parts/groups.json"
VALIDITY = "resources/groups/validity.csv"


def of_all(asked: Targets) -> Targets:
    """asked: by all metrics."""
    numbers = [*([FITS] if asked.fits else []), *([GROUPS] if asked.grouped else [])]
    if not asked.grouped:
        return Targets(numbers=numbers)
    return Targets(numbers=numbers, validity=[VALIDITY], parts=[PART])
