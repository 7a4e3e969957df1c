"""Each metric against the strength of the planted bias: does it order the strengths, is it zero where there is none?"""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from herbarium.drawing import style
from herbarium.metrics.downstream import planted_slope
from herbarium.metrics.mixed_effects.figures import shared
from herbarium.statistics.fits import INTERCEPTS, SLOPES

COLUMNS = ["panel", "series", "model", "planted", "n", "estimate", "ci_low", "ci_high", "null"]
EMPTY = "No metric was measured in models of known bias."
_WIDTH, _PANEL = 3.6, 1.75  # inches: one column of a paper
_DODGE = 0.022  # of the axis, between two series


class Panel(NamedTuple):
    """What is drawn against the strength: its title, the unit of its axis, its value where there is nothing to find,
    and whether what was planted is itself in that unit.
    """

    title: str
    unit: str
    null: float = 0.0
    has_truth: bool = False


PANELS = {
    "herb": Panel("HERB: size-free C_w of the root", "distance (no unit)"),
    "categorical_bias": Panel("Categorical Bias", "variance of log P' (no unit)"),
    "mixed_effects": Panel("Size of the bias score, the paper's model", "log ratio (natural)"),
    "mixed_effects_maximal": Panel("Size of the bias score, maximal model", "log ratio (natural)"),
    "downstream_slope": Panel("Tasks: slope of effects on what was planted", "log-odds (natural)", has_truth=True),
    "downstream_ratio": Panel("Tasks: spread over countries to made-up names", "ratio", null=1.0),
}


def table(
    summary: pd.DataFrame, models: Mapping[str, float | None], tasks: Mapping[str, float | None], root: str | None
) -> pd.DataFrame:
    """The numbers of everything whose bias is known, in COLUMNS: by panel (PANELS) and series, from weak to strong.

    summary: tidy table. models, tasks: the strength that was planted in each model, and in the texts of each task; None
    for those that no one planted anything in, which are left out. root: identifier of the root of the regions; None
    without HERB.

    A series is what should rise with the strength: the root of HERB, a language, a dimension, a model that was
    fine-tuned; of the last, `planted` is the strength of the texts. Bias scores are without their sign, which is
    planted too. `null`: the value where there is nothing to find.
    """
    rows = summary[summary["definition"] == "paper"]
    of_metric = {metric: rows[rows["metric"] == metric] for metric in rows["metric"].unique()}
    none = rows.iloc[:0]
    parts = {
        "herb": _herb(of_metric.get("herb", none), root),
        "categorical_bias": _categorical_bias(of_metric.get("categorical_bias", none)),
        "mixed_effects": _bias_scores(of_metric.get("mixed_effects", none), INTERCEPTS),
        "mixed_effects_maximal": _bias_scores(of_metric.get("mixed_effects", none), SLOPES),
        "downstream_slope": _tasks(of_metric.get("downstream", none), planted_slope.SLOPE),
        "downstream_ratio": _tasks(of_metric.get("downstream", none), "spread_ratio"),
    }
    for panel, own in parts.items():
        of_text = panel.startswith("downstream")
        planted = own["task"].map(tasks) if of_text else own["model"].map(models)
        parts[panel] = own.assign(panel=panel, planted=planted.astype(float), null=PANELS[panel].null)
    found = pd.concat(parts.values()).dropna(subset="planted")
    panels, series = (found[key].map({name: i for i, name in enumerate(found[key].unique())}) for key in COLUMNS[:2])
    found = found.assign(at=panels, of=series).sort_values(["at", "of", "planted"], kind="stable")
    return found[COLUMNS].reset_index(drop=True)


def _herb(rows: pd.DataFrame, root: str | None) -> pd.DataFrame:
    return rows[(rows["variant"] == "C_w_size_free") & (rows["group"] == root)].assign(series="root")


def _categorical_bias(rows: pd.DataFrame) -> pd.DataFrame:
    """The first list of each language, which leads."""
    rows = rows[(rows["variant"] == "cb") & (rows["unit"] == "list")]
    rows = rows.assign(series=rows["group"].str.split("/").str[0])
    return rows.drop_duplicates(["model", "series"])


def _bias_scores(rows: pd.DataFrame, structure: str) -> pd.DataFrame:
    """|Bias score|, male against female words; a group is {probe}/{dimension}/{contrast}, then what else it is of."""
    end = f"/{shared.CONTRAST}" + ("" if structure == INTERCEPTS else f"/{structure}")
    rows = rows[(rows["variant"] == "bias") & rows["group"].str.endswith(end)]
    rows = rows.assign(series=rows["group"].str.removesuffix(end))
    return shared.magnitudes(rows)


def _tasks(rows: pd.DataFrame, variant: str) -> pd.DataFrame:
    rows = rows[(rows["variant"] == variant) & (rows["unit"] == "all") & rows["group"].str.endswith("/country")]
    return rows.assign(series=rows["model"], task=rows["group"].str.removesuffix("/country"))


def figure(table: pd.DataFrame) -> Figure:
    """Dots with interval bars, a panel a metric, a line a series. table: rows of `table` (see there)."""
    if table.empty:
        return style.note(EMPTY)
    panels = list(table.groupby("panel", sort=False))
    strongest = table["planted"].max() or 1.0
    with style.context():
        figure = Figure(figsize=(_WIDTH, 0.9 + _PANEL * len(panels)))
        beside = figure.subplots(len(panels), 1, squeeze=False, sharex=True)[:, 0]
        for axes, (name, rows) in zip(beside, panels, strict=True):
            panel = PANELS[name]
            axes.axhline(panel.null, color="#555555", linestyle="--", linewidth=0.9)
            if panel.has_truth:
                axes.plot([0, strongest], [0, strongest], ":", color="#555555", linewidth=0.9)
            _draw(axes, rows, strongest)
            axes.set_title(panel.title, parse_math=False)
            axes.set_ylabel(panel.unit, fontsize=8)
            axes.tick_params(labelbottom=True)
            axes.grid(axis="y")
        beside[-1].set_xlabel(
            "planted strength (of tasks: of their texts)\n"
            "bars: intervals; dashed: nothing to find\ndotted: all that was planted",
            fontsize=8,
        )
    return figure


def dodged(planted: pd.Series, place: int, n: int, strongest: float) -> pd.Series:
    """Where the marks of a series stand, by its place among n: beside one another, so that bars can be told apart."""
    return planted + (place - (n - 1) / 2) * _DODGE * strongest


def _draw(axes, rows: pd.DataFrame, strongest: float) -> None:
    series = list(rows.groupby("series", sort=False))
    for place, (name, own) in enumerate(series):
        colour, marker = (kinds[place % len(kinds)] for kinds in (style.COLOURS, style.MARKERS))
        x = dodged(own["planted"], place, len(series), strongest)
        y, low, high = (own[column].to_numpy(float) for column in ("estimate", "ci_low", "ci_high"))
        axes.vlines(x, low, high, colors=colour, linewidth=1)
        axes.plot(x, y, marker=marker, color=colour, markersize=3.5, linewidth=0.7, label=name.rpartition("/")[2])
    if len(series) > 1:
        # names are of the study: a "$" in them is no formula
        for text in axes.legend(loc="upper left", fontsize=7, handlelength=1.4, labelspacing=0.2).get_texts():
            text.set_parse_math(False)


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who do not see it."""
    if table.empty:
        return EMPTY
    sentences = []
    for (panel, series), rows in table.groupby(["panel", "series"], sort=False):
        values = ", ".join(
            f"{style.with_interval(row.estimate, row.ci_low, row.ci_high, '.3g')} at {row.planted:g}"
            for row in rows.itertuples()
        )
        sentences.append(f"{PANELS[panel].title}, {series}: {values}.")
    return f"Each metric against the strength of the planted bias. {' '.join(sentences)}"
