"""The Python interface to the results of a study, for notebooks."""

import os
from pathlib import Path

import pandas as pd

from herbarium.core import store
from herbarium.core.errors import HerbariumError
from herbarium.report import answers


class Results:
    """The tables of a study's results folder, from `results`."""

    def __init__(self, folder: Path):
        self._folder = folder

    def headline(self) -> pd.DataFrame:
        """The rows of the page's first screen: a number per metric and model, with its interval, p-value and verdict
        (docs/results.md)."""
        return answers.read_headline(self._file("headline.csv"))

    def summary(self) -> pd.DataFrame:
        """Every number of the study, a row each (docs/metrics/README.md), with `is_primary`: whether it is in the
        headline."""
        return answers.with_primary(store.read_frame(self._file("summary.parquet"), "tidy"), self.headline())

    def _file(self, name: str) -> Path:
        file = self._folder / name
        if not file.is_file():
            raise HerbariumError(f"{file}: no such file; a study that has ended writes it.")
        return file


def results(folder: str | os.PathLike) -> Results:
    """The results of a study. folder: `results` of its configuration. Raises HerbariumError for a table that is not
    there when it is asked for."""
    return Results(Path(folder))
