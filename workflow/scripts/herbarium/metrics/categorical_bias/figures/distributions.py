"""Which targets a model expects with an attribute: P' scaled to sum to 1 (after Fig. 3 to 6 of Ahn and Oh, 2021)."""

import textwrap
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from herbarium.drawing import style
from herbarium.metrics.categorical_bias import score as cb
from herbarium.metrics.categorical_bias.figures import shared
from herbarium.metrics.categorical_bias.numbers import METRIC
from herbarium.metrics.categorical_bias.stimuli import Languages

COLUMNS = [
    *shared.PLACE,
    "attribute",
    "target",
    "n",
    "n_templates",
    "share",
    "std_error",
    "rank",
    "cb",
    "cb_ci_low",
    "cb_ci_high",
    "note",
    "before",
]
SCORE = ["cb", "cb_ci_low", "cb_ci_high"]
NAMED = 3
UNKNOWN, REFUSED = "not among the list's base attributes", "left out: sentences were refused"
LEGEND = (
    "P' of a target divided by the sum over all targets, mean over templates; dashed: all equal. Orange: the three "
    "largest. Marks, if any: the same for models compared with this one. –: the language's list has no such target, or "
    "its sentences were refused. CB of the attribute, with its interval."
)
EMPTY = style.Empty("No language has a distribution over targets to show.")


def table(
    associations: dict[tuple[str, str], shared.Associations],
    numbers: pd.DataFrame,
    languages: Languages,
    models: list[dict],
    attributes: list[str],
    compared: Sequence[Sequence[str]],
) -> pd.DataFrame:
    """The share of every target in P' of some attributes, and their CB.

    associations: of `shared.by_place`. numbers: tidy rows. languages, models: as for `shared.places`.
    attributes: keys. compared: of `models.comparisons`.

    Returns one row per language, model, attribute and base target, targets by key, with COLUMNS. `share`: P' over the
    sum of P' of the `n` targets, the mean over `n_templates`; `std_error`: of this mean. `rank`: 1 for the largest
    share, equal ones share the lowest rank. `cb`: of the attribute. Null, with a note, if the attribute is not in the
    list, or it or the target was left out. `before`: the language's own model, if this one (the first of several
    trainings) is compared with it as the model after a change; else null.
    """
    pairs = {(first, second) for first, second, *_ in compared}
    parts = []
    for place in shared.places(languages, models).itertuples(index=False):
        measured = associations[place.model, place.language]
        shares = cb.distributions(measured.cube.log_p)
        n_templates, _, n = shares.shape
        words = pd.MultiIndex.from_product([attributes, measured.targets], names=["attribute", "target"])
        error = shares.std(axis=0, ddof=1) / np.sqrt(n_templates) if n_templates > 1 else shares[0] * np.nan
        values = {"share": measured.frame(shares.mean(axis=0)), "std_error": measured.frame(error)}
        rows = pd.DataFrame({name: of_words.stack().reindex(words) for name, of_words in values.items()}).reset_index()
        rows["rank"] = rows.groupby("attribute")["share"].rank(method="min", ascending=False).astype("Int64")
        rows["note"] = np.select(
            [~rows["attribute"].isin(measured.attributes), rows["share"].isna()], [UNKNOWN, REFUSED], default=None
        )
        rows["group"] = f"{place.language}/{place.list}/" + rows["attribute"]
        source = languages[place.language]["models"][0]
        before = source if (source, place.model) in pairs else None
        parts.append(rows.assign(**place._asdict(), n=n, n_templates=n_templates, before=before))
    if not parts:
        return pd.DataFrame(columns=COLUMNS)
    return pd.concat(parts, ignore_index=True).merge(
        _scores(numbers), how="left", on=["model", "group"], validate="many_to_one"
    )[COLUMNS]


def _scores(numbers: pd.DataFrame) -> pd.DataFrame:
    """CB of every attribute, by model and group."""
    wanted = (numbers["metric"] == METRIC) & (numbers["definition"] == shared.DEFINITION)
    wanted &= (numbers["unit"] == "attribute") & (numbers["variant"] == "cb")
    names = dict(zip(["estimate", "ci_low", "ci_high"], SCORE, strict=True))
    return numbers.loc[wanted, ["model", "group", *names]].rename(columns=names)


def figure(table: pd.DataFrame) -> Figure:
    """Bars of `share` for each language's own model: one panel per attribute and language, languages side by side, with
    a mark for each model compared with it.

    table: rows of `table` (see there). All panels have the same order of targets, that of their keys, and those of an
    attribute the same scale, so that languages can be compared by eye.
    """
    originals = table[table["own"].astype(bool)]
    if originals["share"].isna().all():
        return style.note(EMPTY)
    attributes, languages = originals["attribute"].unique(), originals["language"].unique()
    after = table[table["before"].notna()]
    looks = style.looks(after["model"])
    targets = sorted(originals["target"].unique(), key=str.casefold)
    columns = min(3, len(languages))
    lines = -(-len(languages) // columns)
    size = (1.1 + 2.03 * columns, 0.6 + lines * len(attributes) * (0.7 + 0.12 * len(targets)))
    with style.context():
        figure = Figure(figsize=size)
        panels = figure.subplots(lines * len(attributes), columns, squeeze=False, sharey=True)
        for attribute, of_attribute in zip(attributes, np.split(panels, len(attributes)), strict=True):
            rows, changed = (shown[shown["attribute"] == attribute] for shown in (originals, after))
            largest = pd.concat([rows["share"], changed["share"]]).max()
            for panel in of_attribute.ravel()[len(languages) :]:
                panel.remove()
            for panel, language in zip(of_attribute.ravel(), languages, strict=False):
                _draw(panel, rows[rows["language"] == language], targets, largest)
                _mark(panel, changed[changed["language"] == language], targets, looks)
        figure.supxlabel(textwrap.fill(LEGEND, int(14.5 * size[0])), fontsize=8.5, parse_math=False)
    return figure


def _draw(panel, shown: pd.DataFrame, targets: list[str], largest: float) -> None:
    """One attribute in one language. shown: its rows. targets: keys, from above. largest: share of any language."""
    place = shown.iloc[0]
    of_target = shown.set_index("target").reindex(targets)
    first = of_target["rank"].le(NAMED).fillna(False).to_numpy(bool)
    colours = np.where(first, style.COLOURS[1], "#9c9c9c")
    panel.barh(range(len(targets)), of_target["share"].fillna(0), color=colours, height=0.75)
    panel.set_yticks(range(len(targets)), targets, fontsize=7, parse_math=False)
    panel.set_ylim(len(targets) - 0.4, -0.6)
    panel.tick_params(axis="y", length=0)
    panel.grid(axis="x")
    if shown["share"].isna().all():
        message = "not in this list" if place["note"] == UNKNOWN else "refused"
        panel.set_xticks([])
    else:
        message = f"CB {style.with_interval(*place[SCORE])}"
        panel.axvline(1 / place["n"], color="black", linewidth=0.8, linestyle=(0, (3, 2)))
        panel.set_xlim(0, 1.75 * largest)  # with space for a name after the longest bar
        panel.set_xticks(
            [tick for tick in MaxNLocator(4, steps=[1, 2, 5, 10]).tick_values(0, largest) if tick <= largest]
        )
        panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g}%"))
        for y, (target, share) in enumerate(of_target["share"].items()):
            if first[y] or np.isnan(share):
                x, text = (share, f"{target} {share:.1%}") if first[y] else (0, "–")
                look = {"textcoords": "offset points", "va": "center", "fontsize": 7, "parse_math": False}
                panel.annotate(text, (x, y), xytext=(2, 0), **look)
    name = textwrap.fill(f"{place['language']}, {shared.label(place)}", 40)
    panel.set_title(f"{name}\n{place['attribute']}: {message}", fontsize=8, parse_math=False)


def _mark(panel, after: pd.DataFrame, targets: list[str], looks: dict[str, style.Look]) -> None:
    """Marks for one attribute in one language after changes of the model. after: rows of `table`."""
    for model, rows in after.dropna(subset="share").groupby("model", sort=False):
        of_target = rows.set_index("target")["share"].reindex(targets)
        look = {"color": looks[model].colour, "marker": looks[model].marker, "markersize": 3.5, "linestyle": "none"}
        panel.plot(of_target, range(len(targets)), label=model, mec="white", mew=0.4, **look)  # bars have colours too
    if panel.get_legend_handles_labels()[0]:
        panel.legend(loc="lower right", fontsize=6, handletextpad=0.1, borderpad=0.2)


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the first three targets of each language and attribute."""
    originals = table[table["own"].astype(bool)]
    if originals["share"].isna().all():
        return EMPTY
    shown = table[table["own"].astype(bool) | table["before"].notna()]
    sentences = []
    for (language, _), rows in shown.groupby(["language", "model"], sort=False):
        clauses = []
        for attribute, words in rows.groupby("attribute", sort=False):
            first = words.dropna(subset="share").sort_values("rank", kind="stable").head(NAMED)
            if first.empty:
                clauses.append(f"{attribute}: {words['note'].iloc[0]}")
                continue
            named = ", ".join(f"{row.target} {row.share:.1%}" for row in first.itertuples())
            score = style.with_interval(*first.iloc[0][SCORE])
            clauses.append(f"{attribute}: {named} (CB {score})")
        sentences.append(f"{language} ({shared.label(rows.iloc[0])}): {'; '.join(clauses)}.")
    return f"Bars of the share of each target in P', by attribute and language. {' '.join(sentences)}"
