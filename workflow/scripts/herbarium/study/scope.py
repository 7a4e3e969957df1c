"""Every table and figure of the sources: whether and where a study has it, or why not (resources/scope.csv)."""

from collections.abc import Collection
from pathlib import Path

import pandas as pd

from herbarium.core import resources

COLUMNS = ["source", "item", "what", "status", "target", "reason"]
STATUSES = (REPRODUCED, MEASURED, *NOT_IN_RUNS) = ("reproduced", "measured", "engine", "out of scope")


def read(path: str | Path) -> pd.DataFrame:
    """COLUMNS, all as text; the comments of the file say what they hold."""
    return resources.read_text_table(path, COLUMNS)


def by_source(items: pd.DataFrame) -> pd.DataFrame:
    """How many items of each source have each of STATUSES. items: of `read`. The index is `source`, in their order."""
    return pd.crosstab(items["source"], items["status"]).reindex(
        items["source"].unique(), columns=STATUSES, fill_value=0
    )


def left(items: pd.DataFrame, files: Collection[str]) -> pd.DataFrame:
    """The items of which a study has no file, COLUMNS, each with a reason. Sources without any file are left out.

    items: of `read`. files: of the study, in its results folder.
    """
    is_there = items["target"].isin(files)
    is_near = items["source"].isin(items.loc[is_there, "source"])
    rest = items[is_near & ~is_there]
    elsewhere = "It is in " + rest["target"] + " of studies that ask for it."
    return rest.assign(reason=rest["reason"].where(rest["status"].isin(NOT_IN_RUNS), elsewhere))
