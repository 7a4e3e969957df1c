"""The Python interface to the results of a study, for notebooks."""

import os
from pathlib import Path

import pandas as pd

from herbarium.core import store
from herbarium.core.errors import HerbariumError
from herbarium.statistics.tidy import KEY


class Results:
    """The tables of a study's results folder, from `results`."""

    def __init__(self, folder: Path):
        self._folder = folder

    def headline(self) -> pd.DataFrame:
        """The rows of the page's first screen: a number per metric and model, with its interval, p-value and verdict
        (docs/results.md)."""
        return read_headline(self._file("headline.csv"))

    def summary(self) -> pd.DataFrame:
        """Every number of the study, a row each (docs/metrics/README.md), with `is_primary`: whether it is in the
        headline."""
        return with_primary(store.read_frame(self._file("summary.parquet"), "tidy"), self.headline())

    def _file(self, name: str) -> Path:
        file = self._folder / name
        if not file.is_file():
            raise HerbariumError(f"{file}: no such file; a study that has ended writes it.")
        return file


def results(folder: str | os.PathLike) -> Results:
    """The results of a study. folder: `results` of its configuration. Raises HerbariumError for a table that is not
    there when it is asked for."""
    return Results(Path(folder))


def read_headline(path: str | os.PathLike) -> pd.DataFrame:
    """The rows of the first screen, as `report.answers.headline` has them."""
    texts = dict.fromkeys(KEY, str)  # a model named 1e5 is no number
    return store.read_csv(Path(path).read_bytes(), dtype=texts, keep_default_na=False, na_values=[""])


def with_primary(numbers: pd.DataFrame, headline: pd.DataFrame) -> pd.DataFrame:
    """Numbers of the schema "tidy" with `is_primary`: whether they are in a headline of `read_headline`."""
    primary = set(headline[list(KEY)].fillna("").itertuples(index=False, name=None))
    keys = numbers[list(KEY)].fillna("").itertuples(index=False, name=None)
    return numbers.assign(is_primary=[key in primary for key in keys])
