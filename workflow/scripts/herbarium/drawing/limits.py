"""Where the axis of a panel ends, and what becomes of marks beyond an end."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

_MANY_POWERS = 4  # powers of ten that an axis spans
# A mark is far off if it is this many times the width of the middle half of all marks away from it; a bar may extend
# beyond the other marks by this many times the width of them all.
_FAR, _LONG = 20, 1.5
_ARROWS = {"x": ("triangle-left", "triangle-right"), "y": ("arrow-down", "arrow-up")}  # at either end of an axis


def ends(rows: pd.DataFrame, nulls: Sequence[float], is_log: bool = False) -> tuple[float, float] | None:
    """Where an axis ends, so that a mark far off or a bar of absurd length does not flatten all others (_FAR, _LONG);
    None if it has room for everything. nulls: values that the axis has in any case.
    """
    known = rows.dropna(subset="estimate")
    estimates = known[known.columns.intersection(["estimate", "ci_low", "ci_high"])].to_numpy(float)
    estimates = np.log10(estimates) if is_log else estimates
    marks, everything = estimates[:, 0], np.append(estimates[np.isfinite(estimates)], nulls)
    if not len(marks):
        return None
    first, third = np.quantile(marks, [0.25, 0.75])
    reach = _FAR * (third - first) or np.inf
    near = np.append(marks[(marks >= first - reach) & (marks <= third + reach)], nulls)
    lengths = np.ptp(estimates[:, 1:], axis=1) if estimates.shape[1] == 3 else np.zeros(1)
    lengths = lengths[np.isfinite(lengths)]
    width = max(np.ptp(near), np.median(lengths) if len(lengths) else 0)
    low = max(everything.min(), near.min() - _LONG * width)
    high = min(everything.max(), near.max() + _LONG * width)
    if (low, high) == (everything.min(), everything.max()) or np.isclose(low, high, rtol=1e-6, atol=0):
        return None
    low, high = (low - 0.03 * (high - low), high + 0.03 * (high - low))
    return (float(10**low), float(10**high)) if is_log else (float(low), float(high))


def room(rows: pd.DataFrame) -> tuple[float, float]:
    """Ends of an axis that has room for all marks, bars and 0."""
    known = rows[rows.columns.intersection(["estimate", "ci_low", "ci_high"])].to_numpy(float)
    values = np.append(known[np.isfinite(known)], 0)
    margin = 0.05 * np.ptp(values) or 1
    return float(values.min() - margin), float(values.max() + margin)


def cut(panel: dict, axis: str, limits: tuple[float, float] | None) -> dict:
    """The panel with an axis from end to end. A mark beyond an end is an arrow at it, and a bar beyond an
    end has one."""
    if limits is None:
        return panel
    low, high = limits
    of_axis = panel["layout"][f"{axis}axis"]
    of_axis["range"] = [float(np.log10(end)) for end in limits] if of_axis.get("type") == "log" else list(limits)
    arrows = []
    for trace in panel["data"]:
        at = np.array(trace[axis], dtype=float)
        symbols = [
            (
                _ARROWS[axis][int(value > high)] + ("-open" if symbol.endswith("-open") else "")
                if value < low or value > high
                else symbol
            )
            for value, symbol in zip(at, trace["marker"]["symbol"], strict=True)
        ]
        trace[axis] = plain(pd.Series(np.clip(at, low, high)))
        trace["marker"] = trace["marker"] | {"symbol": symbols}
        if error := trace.get(f"error_{axis}"):
            below, above = at - np.array(error["arrayminus"], float), at + np.array(error["array"], float)
            inside = np.clip(at, low, high)
            error |= {"arrayminus": plain(pd.Series(inside - np.clip(below, low, high)))}
            error |= {"array": plain(pd.Series(np.clip(above, low, high) - inside))}
            arrows += [_arrow(trace, axis, below < low, low, 0), _arrow(trace, axis, above > high, high, 1)]
    panel["data"] += [trace for trace in arrows if trace["x"]]
    return panel


def _arrow(trace: dict, axis: str, is_beyond: np.ndarray, end: float, side: int) -> dict:
    """A trace: arrows at an end of an axis, on the bars of a trace that are longer."""
    places, n = np.flatnonzero(is_beyond), int(is_beyond.sum())
    across = "xy".strip(axis)
    models = trace.get("models")
    chosen = {"models": [models[place] for place in places] if isinstance(models, list) else models} if models else {}
    return chosen | {
        **{axis: [end] * n, across: [trace[across][place] for place in places], "mode": "markers", "hoverinfo": "skip"},
        "marker": {"color": trace["marker"]["color"], "symbol": [_ARROWS[axis][side]] * n, "size": 6},
    }


def ticks_of(values: list[float]) -> list[float]:
    """1, 2 and 5 times each power of ten that the values span: plotly would label all but the powers with one digit. If
    there are many powers, only the powers, so that labels have room.
    """
    first, last = (int(np.floor(np.log10(extreme(values)))) for extreme in (min, max))
    digits = (1, 2, 5) if last - first < _MANY_POWERS else (1,)
    return [float(f"{digit}e{power}") for power in range(first, last + 1) for digit in digits]


def plain(values: pd.Series) -> list[float | None]:
    """Numbers for JSON, null if missing; six digits are more than a picture shows."""
    return [None if pd.isna(value) else float(f"{value:.6g}") for value in values]
