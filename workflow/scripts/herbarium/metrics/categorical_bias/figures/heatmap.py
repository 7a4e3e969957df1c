"""Which targets a model expects with which attributes: log P' of all of them, similar words next to each other."""

import textwrap

import numpy as np
import pandas as pd
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure

from herbarium.drawing import heat_maps, style
from herbarium.metrics.categorical_bias.figures import shared
from herbarium.metrics.categorical_bias.stimuli import Languages

COLUMNS = [*shared.PLACE, "target", "target_order", "attribute", "attribute_order", "log_p", "deviation", "note"]
REFUSED = "left out: sentences were refused"
LEGEND = (
    "mean of log P' over templates, minus its mean over targets (no unit)\n"
    "orange: likelier with the attribute than other targets; words ordered by average linkage, Euclidean"
)
EMPTY = style.Empty("No language has associations to show.")


def table(
    associations: dict[tuple[str, str], shared.Associations], languages: Languages, models: list[dict]
) -> pd.DataFrame:
    """log P' of every target with every attribute, and the order that puts similar ones next to each other.

    associations: of `shared.by_place`. languages, models: as for `shared.places`.

    Returns one row per language, model, base target and base attribute, with COLUMNS. `log_p`: natural logarithm of P',
    the mean over templates. `deviation`: this minus its mean over the targets. `target_order`, `attribute_order`: from
    0, of `order` on `deviation`. Null, with a note, if the target or the attribute was left out.
    """
    parts = []
    for place in shared.places(languages, models).itertuples(index=False):
        measured = associations[place.model, place.language]
        log_p = measured.cube.log_p.mean(axis=0)
        deviation = log_p - log_p.mean(axis=1, keepdims=True)
        rows = _long(measured.frame(log_p), "log_p").merge(_long(measured.frame(deviation), "deviation"))
        for word, table, values in (
            ("target", measured.cube.lists.targets, deviation.T),
            ("attribute", measured.cube.lists.attributes, deviation),
        ):
            place_of = pd.Series(order(values), table["key"].to_numpy(), dtype="Int64")
            rows[f"{word}_order"] = rows[word].map(place_of).astype("Int64")
        rows["note"] = np.where(rows["log_p"].isna(), REFUSED, None)
        parts.append(rows.assign(**place._asdict())[COLUMNS])
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def _long(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Columns target, attribute and the values under a given name."""
    return frame.T.rename_axis(index="target", columns="attribute").stack(future_stack=True).rename(name).reset_index()


def order(rows: np.ndarray) -> np.ndarray:
    """(n,) the place of each row (n, m) from 0: the leaves of average linkage on Euclidean distances.

    Of the orders that a tree allows, the one in which neighbours lie closest (Bar-Joseph et al., 2001). Euclidean and
    not by correlation, which a row of equal values does not have.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage

    if len(rows) < 2 or rows.size == 0:
        return np.arange(len(rows))
    return np.argsort(leaves_list(linkage(rows, "average", metric="euclidean", optimal_ordering=True)))


def figure(table: pd.DataFrame) -> Figure:
    """Heat maps of `deviation`, attributes by targets, of each language's own model, on one colour scale centred on 0.

    table: rows of `table` (see there).
    It has no panels: the page shows this picture.
    """
    drawn = table[table["own"].astype(bool)].dropna(subset="deviation")
    if drawn.empty:
        return style.note(EMPTY)
    values = [_matrix(rows) for _, rows in drawn.groupby("language", sort=False)]
    places = drawn.drop_duplicates("language")
    norm, extend = style.centred(drawn["deviation"], heat_maps.COVERED)
    columns = min(len(values), 2)
    width = max(style.WIDTH / 2 * columns, 4.8)
    with style.context():
        figure, panels = heat_maps.panels(list(map(len, values)), columns, width, around=1.2, rest=0.9)
        for panel, matrix, place in zip(panels, values, places.itertuples(index=False), strict=True):
            heat_maps.draw(panel, matrix.to_numpy(), matrix.index, matrix.columns, norm, size=6)
            name = f"{place.language}, {shared.label(place)}{_left_out(table, place)}"
            panel.set_title(textwrap.fill(name, 38), parse_math=False)
        bar = figure.colorbar(
            ScalarMappable(norm, style.DIVERGING),
            ax=panels,
            location="top",
            shrink=min(1, 4 / width),
            aspect=40,
            # of the height of the whole figure
            pad=0.1 / figure.get_figheight(),
            fraction=0.2 / figure.get_figheight(),
            extend=extend,
        )
        bar.set_label("\n".join(textwrap.fill(line, int(10 * width)) for line in LEGEND.splitlines()))
        bar.outline.set_visible(False)
    return figure


def _matrix(rows: pd.DataFrame) -> pd.DataFrame:
    """Deviations of one language and model, attributes by targets, in their order."""
    matrix = rows.pivot(index="attribute", columns="target", values="deviation")
    orders = [rows.drop_duplicates(word).sort_values(f"{word}_order")[word] for word in ("attribute", "target")]
    return matrix.loc[orders[0], orders[1]]


def _left_out(table: pd.DataFrame, place) -> str:
    """The words missing from a panel, as part of its title."""
    rows = table[(table["language"] == place.language) & (table["model"] == place.model)]
    words = [key for word in ("target", "attribute") for key in rows.loc[rows[f"{word}_order"].isna(), word].unique()]
    return f"; refused: {', '.join(words)}" if words else ""


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the strongest associations of each language in both
    directions."""
    drawn = table[table["own"].astype(bool)].dropna(subset="deviation")
    if drawn.empty:
        return EMPTY
    sentences = []
    for language, rows in drawn.groupby("language", sort=False):
        ends = [rows.loc[rows["deviation"].idxmin()], rows.loc[rows["deviation"].idxmax()]]
        low, high = (f"{style.text(row['deviation'], '+.2f')} ({row['target']}, {row['attribute']})" for row in ends)
        sentences.append(f"{language} ({shared.label(rows.iloc[0])}): from {low} to {high}.")
    return f"Heat maps of log P' by target and attribute, minus the mean over targets. {' '.join(sentences)}"
