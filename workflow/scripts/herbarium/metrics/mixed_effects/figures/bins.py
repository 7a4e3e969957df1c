"""Bias score and R² by pseudo-perplexity: for a bin's sentences, and for all up to it (Shrestha et al. 2025, Fig.
1)."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

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
_ABREAST = 5
_Z = 1.96
# Whether cumulative -> name, marker, colour.
_LOOKS = {
    True: ("all sentences up to it", "o", style.COLOURS[0]),
    False: ("only sentences of the bin", "s", style.COLOURS[1]),
}
_SHARE = "#dddddd"


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


def figure(table: pd.DataFrame) -> Figure:
    """Small multiples: one block per set of stimuli and model, a pair of panels per dimension, bias score above R².

    The axes of a block end after its last bin with a sentence, where the value for all sentences is. R² has a
    square-root axis. table: rows of `table` (see there).
    """
    if table["estimate"].isna().all():
        return style.note(EMPTY)
    blocks = [
        (_title(name, rows, model), rows[rows["model"] == model])
        for name, rows in table.groupby("data", sort=False)
        for model in drawn(rows)
    ]
    lines = [-(-rows["dimension"].nunique() // _ABREAST) for _, rows in blocks]
    heights = [0.75 + 2.3 * n for n in lines]
    with style.context():
        figure = Figure(figsize=(style.WIDTH, 1.3 + sum(heights)))
        parts = figure.subfigures(len(blocks), 1, squeeze=False, height_ratios=heights)[:, 0]
        for part, (title, rows), n in zip(parts, blocks, lines, strict=True):
            part.suptitle(title, x=0.01, ha="left", fontsize=9, fontweight="bold", parse_math=False)
            _block(part, rows, n)
        shared.caption(
            figure,
            "pseudo-perplexity of the sentences",
            f"Male against female words; n: sentences. Bars: ±{_Z} standard errors. Filled: p < {shared.ALPHA:g}, not "
            "adjusted. Grey: share of all sentences in a bin, as a fraction of the panel's height. R² has a "
            "square-root axis with the bounds of Cohen's bands; below 0.01 it is very small, which the paper calls "
            "no bias. Bins with few sentences have no value.",
        )
        handles = [
            Line2D([], [], color=colour, marker=marker, markersize=4, label=name)
            for name, marker, colour in _LOOKS.values()
        ]
        handles.append(Patch(color=_SHARE, label="share of sentences"))
        figure.legend(handles=handles, loc="outside upper left", ncols=3)
    return figure


def _title(name: str, rows: pd.DataFrame, model: str) -> str:
    label = style.label(model, rows.loc[rows["model"] == model, "planted"].iloc[0])
    n = rows["model"].nunique()
    most = f" (one of the {MOST} most biased of {n} models; the CSV has all)" if n > MOST else ""
    return f"{name}, {label}{most}"


def _block(part, data_rows: pd.DataFrame, lines: int) -> None:
    """One model. data_rows: its rows. lines: of pairs of panels."""
    single = data_rows[~data_rows["cumulative"]]
    width = (single["high"] - single["low"]).max()
    last = single.loc[single["n"] > 0, "high"].max() if single["n"].any() else width
    middle, end = width * (last // (2 * width)), last + 1.5 * width  # the value for all sentences is at the end
    dimensions = data_rows[(data_rows["high"] <= last) | np.isinf(data_rows["high"])].groupby("dimension", sort=False)
    half = _Z * data_rows["std_error"]
    limits = interactive.ends(
        data_rows.assign(ci_low=data_rows["estimate"] - half, ci_high=data_rows["estimate"] + half), [0]
    )
    panels = part.subplots(*(2 * lines, min(_ABREAST, len(dimensions))), squeeze=False, sharex=True, sharey="row")
    panels[0, 0].set_xlim(0, end + width)
    panels[0, 0].set_xticks([0, middle, end], ["0", f"{middle:g}", "all"])
    for above, below in zip(panels[::2, 0], panels[1::2, 0], strict=True):
        above.set_ylabel("bias score", fontsize=8)
        below.set_ylabel("R²", fontsize=8)
        _root_scale(below, data_rows["r2"].max())
        if limits:
            above.set_ylim(limits)
    above, below = panels[::2].ravel(), panels[1::2].ravel()
    for upper, lower, (dimension, rows) in zip(above, below, dimensions, strict=False):
        n = rows.loc[np.isinf(rows["high"]), "n"].sum()
        upper.set_title(f"{dimension}\nn = {n:,}", fontsize=8, parse_math=False)
        upper.axhline(0, color="#777777", linewidth=0.6)
        lower.tick_params(axis="x", labelbottom=True)
        _draw(upper, rows, "estimate", end, limits or (-np.inf, np.inf))
        _draw(lower, rows, "r2", end)
    for panel in [*above[len(dimensions) :], *below[len(dimensions) :]]:
        panel.remove()


def _draw(panel, rows: pd.DataFrame, column: str, end: float, limits: tuple[float, float] = (-np.inf, np.inf)) -> None:
    """A number of one dimension by bin. end: the position of all sentences. limits: where bars end, with an arrow."""
    panel.tick_params(labelsize=7.5)
    panel.grid(axis="y")
    middle = (rows["low"] + rows["high"]) / 2
    single = rows[~rows["cumulative"]]
    panel.bar(
        *(middle[single.index], single["share"], single["high"] - single["low"]),
        **{"color": _SHARE, "transform": panel.get_xaxis_transform(), "zorder": 0.5},
    )
    rows = rows.assign(x=rows["high"].where(rows["cumulative"], middle).replace(np.inf, end))
    rows = rows.dropna(subset=column)
    for is_cumulative, (_, marker, colour) in _LOOKS.items():
        shown = rows[rows["cumulative"] == is_cumulative]
        line = shown[np.isfinite(shown["high"])]
        panel.plot(line["x"], line[column], color=colour, linewidth=0.6)
        if column == "estimate":
            half = _Z * shown["std_error"]
            panel.vlines(
                shown["x"], shown[column] - half, shown[column] + half, colors=colour, linewidth=0.8, alpha=0.6
            )
            beyond = shown[column] - half < limits[0], shown[column] + half > limits[1]
            for arrow, limit, is_cut in zip("v^", limits, beyond, strict=True):
                if is_cut.any():
                    at = np.full(is_cut.sum(), limit)
                    panel.plot(shown["x"][is_cut], at, arrow, color=colour, markersize=3, clip_on=False)
        shared.points(
            panel, shown["x"], shown[column].clip(*limits), shown["p_value"] < shared.ALPHA, marker, colour, 3
        )


def _root_scale(panel, highest: float) -> None:
    """A square-root axis with the bounds of Cohen's bands. highest: value that is drawn."""
    top = 1.1 * highest if highest > 0 else 1.0
    panel.set_yscale("function", functions=(lambda x: np.sqrt(np.maximum(x, 0)), np.square))
    named = {*BANDS.values(), *(SYMBOLS.values() if top < BANDS["large"] else ())}
    bounds = [bound for bound in sorted(named) if bound < top]
    panel.set_yticks(bounds, [f"{bound:g}" for bound in bounds])
    panel.set_ylim(0, top)


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
