"""Whether a target's contribution to Categorical Bias comes from its length in sub-tokens."""

import textwrap

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from herbarium.drawing import style
from herbarium.metrics.categorical_bias.figures import shared
from herbarium.metrics.categorical_bias.numbers import METRIC
from herbarium.metrics.categorical_bias.stimuli import Languages

COLUMNS = [
    *shared.PLACE,
    "definition",
    "target",
    "n_tokens",
    "contribution",
    "std_error",
    "ci_low",
    "ci_high",
    "n",
    "length_share",
    "length_share_ci_low",
    "length_share_ci_high",
    "note",
]
EMPTY = style.Empty("No language has targets to show.")
# Offset of a definition, so that both can be seen.
_SHIFTS = {"paper": -0.12, "released": 0.12}
LEGEND = (
    "Percent: share of CB that the number of sub-tokens explains, 1 minus CB of pairs of equal length divided by CB of "
    "all; with its interval. Named: the target that contributes most."
)


def table(numbers: pd.DataFrame, languages: Languages, models: list[dict]) -> pd.DataFrame:
    """Length of every target and its contribution to CB, for the leading list, base words.

    numbers: tidy rows. languages, models: as for `shared.places`.

    Returns one row per language, model, definition (paper, released) and target, with COLUMNS. `n_tokens`: sub-tokens,
    the mean over templates. `contribution`: the target's contribution to CB, with its error and bounds; it has the unit
    of CB, squared natural logarithms. `length_share`: of CB of the whole list, without unit. `n` targets.
    """
    places = shared.places(languages, models)
    ours = numbers[numbers["metric"] == METRIC]
    parts = []
    for place in places.itertuples(index=False):
        group = f"{place.language}/{place.list}"
        model_rows = ours[ours["model"] == place.model]
        shares = model_rows[(model_rows["group"] == group) & (model_rows["variant"] == "length_share")].set_index(
            "definition"
        )
        targets = model_rows[(model_rows["unit"] == "target") & model_rows["group"].str.startswith(f"{group}/")]
        targets = targets.assign(target=targets["group"].str.removeprefix(f"{group}/"))
        lengths, rows = (targets[targets["variant"] == variant] for variant in ("n_tokens", "cb_contribution"))
        rows = rows.rename(columns={"estimate": "contribution"}).merge(
            lengths[["definition", "target", "estimate"]].rename(columns={"estimate": "n_tokens"}),
            on=["definition", "target"],
            validate="one_to_one",
        )
        for column, name in (("", "estimate"), ("_ci_low", "ci_low"), ("_ci_high", "ci_high")):
            rows[f"length_share{column}"] = rows["definition"].map(shares[name])
        parts.append(rows.assign(**place._asdict())[COLUMNS])
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def figure(table: pd.DataFrame) -> Figure:
    """Dots, one panel per language, its own model, both definitions side by side; the axis of contributions is
    logarithmic.

    table: rows of `table` (see there). A contribution of 0 is an arrow at the lower edge.
    """
    unchanged = table[table["own"].astype(bool)]
    if unchanged["contribution"].isna().all():
        return style.note(EMPTY)
    languages = unchanged["language"].unique()
    columns = min(3, len(languages))
    lines = -(-len(languages) // columns)
    size = (0.5 + 2.23 * columns, 1.0 + 2.6 * lines)
    edge = shared.log_edge(unchanged[["contribution"]])
    with style.context():
        figure = Figure(figsize=size)
        panels = figure.subplots(lines, columns, squeeze=False, sharey=True).ravel()
        for panel in panels[len(languages) :]:
            panel.remove()
        panels[0].set_yscale("log")
        for panel, language in zip(panels, languages, strict=False):
            rows = unchanged[unchanged["language"] == language]
            _draw(panel, rows, edge)
            named = textwrap.fill(shared.label(rows.iloc[0]), 32)
            shares = "\n".join(f"{definition}: {share}" for definition, share in _shares(rows).items())
            panel.set_title(f"{language}\n{named}\n{shares}", fontsize=8, parse_math=False)
        panels[0].set_ylim(edge, 3 * max(unchanged["contribution"].max(), edge))
        panels[0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        figure.supylabel("contribution of the target to CB (no unit)", fontsize=9)
        figure.supxlabel(
            "sub-tokens of the target\n" + textwrap.fill(LEGEND, int(14.5 * size[0])), fontsize=8.5, parse_math=False
        )
        handles = {line.get_label(): line for panel in panels for line in panel.lines}
        figure.legend(handles=handles.values(), loc="outside upper left", ncols=2)
    return figure


def _draw(panel, rows: pd.DataFrame, edge: float) -> None:
    """Both definitions of one language. edge: where the axis begins."""
    low, high = rows["n_tokens"].min(), rows["n_tokens"].max()
    for definition, (marker, colour) in shared.LOOKS.items():
        points = rows[rows["definition"] == definition]
        x, y = points["n_tokens"] + _SHIFTS[definition], points["contribution"]
        panel.plot(x[y > 0], y[y > 0], marker, color=colour, markersize=3.5, alpha=0.75, label=definition)
        if (y == 0).any():
            low_edge = np.full((y == 0).sum(), edge)
            panel.plot(x[y == 0], low_edge, "v", color=colour, clip_on=False, label=f"{definition}: 0")
        if (y > 0).any():
            top = y.idxmax()
            is_right = x[top] > (low + high) / 2
            panel.annotate(
                points["target"][top],
                (x[top], y[top]),
                xytext=(0, 4),
                textcoords="offset points",
                ha="right" if is_right else "left",
                fontsize=7,
                parse_math=False,
            )
    panel.set_xlim(low - 0.5, high + 0.5)
    panel.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    panel.grid()


def _shares(rows: pd.DataFrame) -> dict[str, str]:
    """Definition -> the share that length explains, with its interval. rows: of one language and model."""
    columns = ["length_share", "length_share_ci_low", "length_share_ci_high"]
    first = rows.drop_duplicates("definition").set_index("definition")[columns]
    return {definition: style.with_interval(*values, ".0%") for definition, values in first.iterrows()}


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the share that length explains, and the range of lengths."""
    unchanged = table[table["own"].astype(bool)]
    if unchanged["contribution"].isna().all():
        return EMPTY
    sentences = []
    for language, rows in unchanged.groupby("language", sort=False):
        shares = ", ".join(f"{share} ({definition})" for definition, share in _shares(rows).items())
        low, high = rows["n_tokens"].min(), rows["n_tokens"].max()
        sentences.append(
            f"{language} ({shared.label(rows.iloc[0])}): {low:g} to {high:g} sub-tokens; length explains {shares}."
        )
    return f"Dots of each target's contribution to Categorical Bias, by its number of sub-tokens. {' '.join(sentences)}"
