"""Numbers as the report writes them."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from herbarium.drawing import style
from herbarium.drawing.style import SCALE
from herbarium.statistics.inference import least_adjusted


class Number(str):
    """A number as text for the reader that keeps the number itself: tables are sorted by it and saved with it."""

    __slots__ = ("number",)

    def __new__(cls, shown: str, number: float) -> "Number":
        made = super().__new__(cls, shown)
        made.number = float(f"{number:.12g}")  # further digits come from the scaling
        return made


def text(value: float, form: str = ".3g", scale: float = 1) -> Number | None:
    """A number times `scale` as text; None if it is missing."""
    return None if pd.isna(value) else Number(style.text(scale * value, form), scale * value)


def number(row: Mapping[str, Any], scale: float = SCALE) -> dict[str, Number | None]:
    """A row's estimate and interval as text, times 1e3: the estimate with three significant digits, its interval with
    the same number of decimals. None for what is missing. scale: another factor than 1e3.
    """
    if pd.isna(row["estimate"]):
        return {"value": None, "low": None, "high": None}
    scaled = scale * row["estimate"]
    exponent = int(f"{scaled:.2e}".partition("e")[2])  # of the rounded number: 0.9999 is 1.00
    decimals = min(max(2 - exponent, 0), 9) if scaled else 3
    bounds = {"value": "estimate", "low": "ci_low", "high": "ci_high"}
    return {bound: text(row[column], f".{decimals}f", scale) for bound, column in bounds.items()}


def noted(row: pd.Series, scale: float = 1) -> dict[str, Number | str | None]:
    """As `number`, with the `note` on the number, for the macro of the same name. row: with `note`."""
    return number(row, scale) | {"note": None if pd.isna(row["note"]) else row["note"]}


def least_p(rows: pd.DataFrame, least: float | pd.Series, family: list[str], correction: str) -> pd.Series:
    """The least adjusted p-value that each row's test could have, with the index of the rows; nan without a test.

    rows: tidy, whole families. least: the least p-value of a single test (`inference.least_p_value`). family: the
    columns in which the rows of a family agree. correction: of `inference.adjust`.
    """
    alone = pd.Series(least, rows.index, dtype=float).where(rows["p_value"].notna())
    return alone.groupby([rows[column] for column in family], dropna=False).transform(
        lambda p_values: least_adjusted(p_values.to_numpy(), correction)
    )


def p_value(p: float, least: float = 0) -> Number | None:
    """A p-value as text, with two significant digits; None if it is missing.

    least: the least that this test can give (`inference.least_adjusted`). If even that is not evidence (style.ALPHA or
    more), the text says so instead of the p-value, which would be read as a finding that there is nothing.
    """
    if pd.notna(p) and least >= style.ALPHA:
        return Number(f"cannot fall below {least:.2g} here", p)
    return text(p, ".2g")


def p_text(p: float, least: float = 0) -> Number | None:
    """As `p_value`, for tests whose p-values may be too small to be meaningful."""
    return Number(style.compared(p), p) if p < style.SMALLEST_P else p_value(p, least)


def is_unattainable(least: float) -> bool:
    """Whether a test could not have found anything, whatever the data."""
    return bool(least >= style.ALPHA)
