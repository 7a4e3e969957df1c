"""The gap of each occupation between women and men, against the share of women among its training texts."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.biographies.numbers import BALANCED, DEFINITIONS, FINETUNED, IN_WORDS, TRAININGS
from herbarium.metrics.biographies.stimuli import FORMS

COLUMNS = [
    *("unit", "model", "definition", "group", "occupation", "share", "n_female", "n_male"),
    *("estimate", "ci_low", "ci_high", "p_adjusted"),
]
EMPTY = style.Empty("Occupations could not be predicted for any task.")
AXIS = "accuracy for women − accuracy for men"
_HEADED = {BALANCED: ", balanced"}


def table(occupations: pd.DataFrame) -> pd.DataFrame:
    """Rows of COLUMNS: the last layer of each source, and fine-tuned models. occupations: of the schema
    "biographies_occupations"."""
    last = occupations.groupby(["unit", "model"])["group"].transform("last")
    return occupations[occupations["group"] == last][COLUMNS].reset_index(drop=True)


def figure(table: pd.DataFrame) -> Figure:
    """Two panels per task and source, trained on texts as found and balanced, only the first for a fine-tuned model; in
    each the texts as they are and scrubbed, filled if the adjusted p is small."""
    if table.empty:
        return style.note(EMPTY)
    places, looks = list(table.groupby(["unit", "model"], sort=False)), style.looks(FORMS)
    with style.context():
        figure = Figure(figsize=(style.WIDTH, 2.4 * len(places) + 0.4))
        axes = figure.subplots(len(places), len(TRAININGS), squeeze=False, sharey="row")
        for across, ((unit, source), rows) in zip(axes, places, strict=True):
            group = rows["group"].iloc[0]
            said = group if group == FINETUNED else f"layer {group}"
            for panel, training in zip(across, TRAININGS, strict=True):
                if group == FINETUNED and training == BALANCED:
                    panel.set_visible(False)
                    continue
                panel.axhline(0, color="#777777", linewidth=0.7)
                for number, form in enumerate(FORMS):
                    own = rows[rows["definition"] == DEFINITIONS[form, training]]
                    _draw(panel, own, looks[form], 0.012 * (number - 0.5))
                panel.set_title(f"{unit}, {source}, {said}{_HEADED.get(training, '')}", parse_math=False)
                panel.set_xlabel("share of women")
            across[0].set_ylabel("gap")
        handles = [
            Line2D([], [], color=look.colour, marker=look.marker, linewidth=0, label=IN_WORDS[form])
            for form, look in looks.items()
        ]
        figure.legend(handles=handles, loc="outside upper left", ncols=2)
    return figure


def _draw(panel, rows: pd.DataFrame, look: style.Look, moved: float) -> None:
    places = rows["share"] + moved
    panel.vlines(places, rows["ci_low"], rows["ci_high"], colors=look.colour, linewidth=0.8, alpha=0.7)
    for is_small, face in ((True, look.colour), (False, "white")):
        own = (rows["p_adjusted"] < style.ALPHA) == is_small
        panel.plot(
            *(places[own], rows["estimate"][own], look.marker),
            **{"color": look.colour, "markerfacecolor": face, "markersize": 4.5},
        )


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the largest gap in each direction."""
    if table.empty:
        return EMPTY
    said = []
    for (unit, source, definition), rows in table.groupby(["unit", "model", "definition"], sort=False):
        ends = [rows.loc[of] for of in (rows["estimate"].idxmin(), rows["estimate"].idxmax())]
        least, most = (
            f"{row['occupation']} {style.with_interval(row['estimate'], row['ci_low'], row['ci_high'], '.2f')}"
            for row in ends
        )
        said.append(f"{unit}, {source}, {IN_WORDS[definition]}: from {least} to {most}.")
    return f"Gaps between women and men, by occupation. {' '.join(said)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """The interactive form: one panel per task and source or fine-tuned model, one line per occupation, by the share
    of women in it."""
    looks = style.looks(IN_WORDS.values())
    return [
        interactive.forest(
            f"{unit}, {source}",
            rows.sort_values("share", kind="stable").assign(
                line=lambda of: of["occupation"] + of["share"].map(" ({:.0%} women)".format),
                series=lambda of: of["definition"].map(IN_WORDS),
                n=lambda of: of["n_female"] + of["n_male"],
            ),
            AXIS,
            looks,
        )
        for (unit, source), rows in table.groupby(["unit", "model"], sort=False)
    ]
