"""Numbers as the report writes them."""

import pandas as pd

from herbarium.drawing.style import SCALE

_SMALLEST_P = 0.001


def number(row: pd.Series, scale: float = SCALE) -> dict[str, str | None]:
    """A row's estimate and interval as text, times 1e3: the estimate with three significant digits, its interval with
    as many decimals. None where there is none. scale: another factor than 1e3.
    """
    if pd.isna(row["estimate"]):
        return {"value": None, "low": None, "high": None}
    scaled = scale * row["estimate"]
    exponent = int(f"{scaled:.2e}".partition("e")[2])  # of the rounded number: 0.9999 is 1.00
    decimals = min(max(2 - exponent, 0), 9) if scaled else 3

    def show(value: float) -> str | None:
        return None if pd.isna(value) else f"{scale * value:.{decimals}f}".replace("-", "−")

    return {"value": show(row["estimate"]), "low": show(row["ci_low"]), "high": show(row["ci_high"])}


def p_value(p: float) -> str | None:
    """A p-value as text, with two significant digits; None where there is none."""
    return None if pd.isna(p) else f"{p:.2g}"


def p_text(p: float) -> str | None:
    """As `p_value`, for tests whose p-values may be smaller than means anything."""
    return f"< {_SMALLEST_P:g}" if p < _SMALLEST_P else p_value(p)
