"""The Python interface to the results of a study, for notebooks."""

import os
from pathlib import Path

import pandas as pd

from herbarium.core import store
from herbarium.core.errors import HerbariumError
from herbarium.statistics.tidy import KEY

_AS_TEXT = {"keep_default_na": False, "na_values": [""]}


class Results:
    """The tables of a study's results folder, from `results`."""

    def __init__(self, folder: Path):
        self._folder = folder

    def headline(self) -> pd.DataFrame:
        """The rows of the page's first screen: a number per metric and model, with its interval, p-value and verdict
        (docs/results.md)."""
        return store.read_csv(self._file("headline.csv").read_bytes(), dtype=dict.fromkeys(KEY, str), **_AS_TEXT)

    def summary(self) -> pd.DataFrame:
        """Every number of the study, a row each (docs/metrics/README.md), with `is_primary`: whether it is in the
        headline."""
        numbers, keys = store.read_frame(self._file("summary.parquet"), "tidy"), list(KEY)
        primary = set(self.headline()[keys].fillna("").itertuples(index=False))
        rows = numbers[keys].fillna("").itertuples(index=False)
        return numbers.assign(is_primary=[row in primary for row in rows])

    def _file(self, name: str) -> Path:
        file = self._folder / name
        if not file.is_file():
            raise HerbariumError(f"{file}: no such file; a study that has ended writes it.")
        return file


def results(folder: str | os.PathLike) -> Results:
    """The results of a study. folder: `results` of its configuration. Raises HerbariumError for a table that is not
    there when it is asked for."""
    return Results(Path(folder))
