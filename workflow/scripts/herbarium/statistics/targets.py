"""Targets in addition to those of metrics: fits of all mixed models, and groups."""

from herbarium.core.targets import Files, Targets
from herbarium.statistics import fits_overview, grouped

# Every fit with its adjusted p-value, and the tidy numbers of all fits and of groups.
FITS = "<work>/metrics/fits.parquet"
OF_FITS = f"<work>/metrics/{fits_overview.METRIC}.parquet"
GROUPS = f"<work>/metrics/{grouped.METRIC}.parquet"
FILES = Files("groups")


def of_all(asked: Targets) -> Targets:
    """asked: by all metrics."""
    numbers = [*([OF_FITS] if asked.fits else []), *([GROUPS] if asked.grouped else [])]
    if not asked.grouped:
        return Targets(numbers=numbers)
    return Targets(numbers=numbers, validity=[FILES.validity], parts=[FILES.part])
