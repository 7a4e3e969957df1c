"""Bias score and R² by pseudo-perplexity: for a bin's sentences, and for all up to it (Shrestha et al. 2025, Fig.
1)."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.mixed_effects.figures import shared
from herbarium.statistics.effect_sizes import BANDS, SYMBOLS

_BY = ["data", "model", "dimension"]
_NUMBERS = ["estimate", "std_error", "p_value", "r2", "n", "share"]
COLUMNS = [*_BY[:2], "planted", "dimension", "cumulative", "low", "high", *_NUMBERS]
EMPTY = style.Empty("No stimuli have bias scores by pseudo-perplexity to show.")
# Number of models drawn per set of stimuli, those with the highest mean |bias score|; the table has all.
MOST = 4
_ABREAST = 4
_Z = 1.96
_SERIES = {True: "all sentences up to it", False: "only sentences of the bin"}  # whether cumulative
LOOKS = dict(zip(_SERIES.values(), (style.Look(style.COLOURS[0], "o"), style.Look(style.COLOURS[1], "s")), strict=True))
SHARE = "share of sentences (of the height)"
_AXIS = "pseudo-perplexity"


def table(bins: pd.DataFrame, stimuli: list[str], models: list[dict]) -> pd.DataFrame:
    """Bins of pseudo-perplexity, definition `paper`, male against female words.

    bins: of the schema "mixed_effects_bins", of all models. stimuli, models: as for `shared.ordered`.

    Returns one row per set of stimuli, model, dimension and bin, with COLUMNS: those from `low` to `high`, and
    `cumulative` ones from 0 on. Numbers are null if a bin has too few sentences for a model; `share`: of all sentences.
    """
    rows = shared.ordered(bins[bins["definition"] == shared.DEFINITION], stimuli, models, _BY)
    return rows.astype({"cumulative": bool})[COLUMNS]


def drawn(of_stimuli: pd.DataFrame) -> list[str]:
    """The models of a set of stimuli that are drawn, in order. of_stimuli: rows of `table`."""
    of_all = of_stimuli[of_stimuli["cumulative"] & np.isinf(of_stimuli["high"])]
    size = of_all["estimate"].abs().groupby(of_all["model"], sort=False).mean()
    highest = size.nlargest(MOST, keep="first").index
    return [model for model in of_stimuli["model"].unique() if model in highest]


def panels(table: pd.DataFrame) -> list[dict]:
    """Small multiples: for each set of stimuli and model, a pair of panels per dimension, with the bias score and R².

    The axis of all panels of a model ends after its last bin with a sentence, where the value for all sentences is; R²
    has a square-root axis. table: rows of `table` (see there).
    """
    if table["estimate"].isna().all():
        return []
    return [
        panel | {"heading": _title(name, group, model), "abreast": _ABREAST}
        for name, group in table.groupby("data", sort=False)
        for model in drawn(group)
        for panel in _of_model(group[group["model"] == model])
    ]


def _title(name: str, rows: pd.DataFrame, model: str) -> str:
    label = style.label(model, rows.loc[rows["model"] == model, "planted"].iloc[0])
    n = rows["model"].nunique()
    most = f" (one of the {MOST} most biased of {n} models; the CSV has all)" if n > MOST else ""
    return f"{name}, {label}{most}"


def _of_model(group: pd.DataFrame) -> Iterator[dict]:
    """The panels of a model. of: its rows."""
    single = group[~group["cumulative"]]
    width = (single["high"] - single["low"]).max()
    last = single.loc[single["n"] > 0, "high"].max() if single["n"].any() else width
    middle, end = width * (last // (2 * width)), last + 1.5 * width  # the value for all sentences is at the end
    ticks = {0.0: "0", middle: f"{middle:g}", end: "all"}
    rows = group[(group["high"] <= last) | np.isinf(group["high"])]
    at = rows["high"].where(rows["cumulative"], (rows["low"] + rows["high"]) / 2).replace(np.inf, end)
    half = _Z * rows["std_error"]
    rows = rows.assign(x=at, ci_low=rows["estimate"] - half, ci_high=rows["estimate"] + half)
    rows = rows.assign(series=rows["cumulative"].map(_SERIES), name=rows["dimension"])
    limits = interactive.ends(rows, [0]) or interactive.room(rows)
    top = 1.1 * rows["r2"].max() if rows["r2"].max() > 0 else 1.0
    for dimension, of_dimension in rows.groupby("dimension", sort=False):
        score = of_dimension.dropna(subset="estimate")
        effect = (
            of_dimension.assign(estimate=of_dimension["r2"]).drop(columns=["ci_low", "ci_high"]).dropna(subset="r2")
        )
        axes = (_AXIS, "bias score"), (_AXIS, "R²")
        pair = (
            interactive.lines(f"{dimension}: bias score", score, axes[0], LOOKS, 0, limits, ticks),
            _rooted(interactive.lines(f"{dimension}: R²", effect, axes[1], LOOKS, None, (0, top), ticks)),
        )
        bars = of_dimension[~of_dimension["cumulative"]]
        for panel in pair:
            panel["layout"]["shapes"] += interactive.bars(bars["low"], bars["high"], bars["share"], SHARE)
            panel["layout"]["height"] = 190
            for trace in panel["data"]:
                trace["marker"]["size"] = 5
            panel["layout"]["xaxis"] |= {"range": [0, float(end + width)]}
            panel["layout"]["xaxis"]["title"]["font"] = {"size": 11}
            yield panel


def _rooted(panel: dict) -> dict:
    """The panel with a square-root axis, which has the bounds of Cohen's bands."""
    axis = panel["layout"]["yaxis"]
    top = axis["range"][1]
    named = {*BANDS.values(), *(SYMBOLS.values() if top < BANDS["large"] else ())}
    bounds = [bound for bound in sorted(named) if bound < top]
    axis |= {"tickvals": interactive.plain(np.sqrt(bounds)), "ticktext": [f"{bound:g}" for bound in bounds]}
    axis |= {"range": np.sqrt(axis["range"]).tolist(), "showgrid": True}
    for trace in panel["data"]:
        trace["y"] = interactive.plain(np.sqrt(np.array(trace["y"], dtype=float)))
    return panel


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the first bin and all sentences, for the models drawn."""
    if table["estimate"].isna().all():
        return EMPTY
    sentences = []
    for name, of_stimuli in table.groupby("data", sort=False):
        for model in drawn(of_stimuli):
            rows = of_stimuli[of_stimuli["model"] == model]
            clauses = [f"{dimension} {_ends(group)}" for dimension, group in rows.groupby("dimension", sort=False)]
            sentences.append(f"{name}, {style.label(model, rows['planted'].iloc[0])}: {'; '.join(clauses)}.")
    return f"Small multiples of bias score and R² by pseudo-perplexity. {' '.join(sentences)}"


def _ends(of_dimension: pd.DataFrame) -> str:
    cumulative = of_dimension[of_dimension["cumulative"]].sort_values("high")
    first, last = cumulative.iloc[0], cumulative.iloc[-1]
    values = ["no value" if pd.isna(row["estimate"]) else style.text(row["estimate"], ".3g") for row in (first, last)]
    return f"{values[0]} below {first['high']:g} ({first['share']:.0%} of sentences), {values[1]} for all"
