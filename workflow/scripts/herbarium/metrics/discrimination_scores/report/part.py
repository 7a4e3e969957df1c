"""The part of the page on discrimination scores."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.discrimination_scores import TITLE
from herbarium.metrics.discrimination_scores.figures import contrasts
from herbarium.metrics.discrimination_scores.numbers import (
    ABOVE,
    BOUND,
    DIFFERENCE,
    MASS,
    METRIC,
    OWN,
    PAPER,
    SPREAD,
)
from herbarium.metrics.discrimination_scores.planted import contrast
from herbarium.report.answers import Answer, answer, untested
from herbarium.report.numbers import noted, p_text, text
from herbarium.report.part import CORRECTIONS, Part, Tested, render
from herbarium.report.pictures import Picture, shown

_HERE = Path(__file__).parent
SECTION = "discrimination-scores"
_FIGURE = "discrimination_scores_contrasts"


def part(
    numbers: pd.DataFrame,
    models: Sequence[dict],
    references: Mapping[str, Mapping[str, str]],
    level: float,
    correction: str,
    pictures: Mapping[str, Picture],
) -> Part:
    """numbers: tidy rows of all models. models: model records, by strength. references: of each table, by name. level,
    correction: of the configuration. pictures: by the names of figures."""
    picture = pictures[_FIGURE]
    labels = {model["name"]: style.label(model["name"], model["planted"]) for model in models}
    ordered = contrasts.table(numbers, list(models))
    places = zip(ordered["unit"], ordered["group"], ordered["model"], strict=True)
    facts = {
        "picture": shown(picture, contrasts.describe(picture.table), _FIGURE, contrasts.panels(picture.table)),
        "rows": [row(numbers, *place) | {"label": labels[place[2]]} for place in places],
        "is_fitted": bool((numbers["definition"] == PAPER).any()),
        "level": f"{100 * level:g}",
        "correction": CORRECTIONS[correction],
    }
    return Part(
        name=METRIC,
        title=f"{TITLE}: " + ", ".join(ordered["unit"].unique()),
        sections=[(SECTION, TITLE)],
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", {}),
        tested=[Tested(METRIC, TITLE, SECTION, "the contrasts of a model", correction)],
        models=list(models),
        lead=render(_HERE, "lead.html.j2", facts),
        answers=[_answer(numbers, models, references)],
    )


def _answer(numbers: pd.DataFrame, models: Sequence[dict], references: Mapping[str, Mapping[str, str]]) -> Answer:
    """The first screen: the mean of every contrast; of planted models, of the one that is planted."""
    rows = numbers[(numbers["variant"] == DIFFERENCE) & (numbers["definition"] == OWN)]
    planted = {model["name"]: model["planted"] for model in models}
    learned = {
        (name, contrast(groups, references[name])) for name, groups in rows.groupby("unit")["group"] if references[name]
    }
    is_shown = [
        planted[row.model] is None or (row.unit, row.group) in learned
        for row in rows[["model", "unit", "group"]].itertuples()
    ]
    rows = rows[is_shown]
    of = rows["unit"] + ", " + rows["group"]
    rows = rows.assign(of=of, caveat=rows["note"].where(rows["estimate"].notna()), withheld=untested(rows))
    measures = "How much the log-odds of a decision in a person's favour depend on who the person is, all else equal."
    directions = ("decisions are more favourable than for the reference", "decisions are less favourable")
    return answer(TITLE, measures, "natural log-odds", SECTION, rows, planted, directions=directions)


def row(numbers: pd.DataFrame, name: str, group: str, model: str) -> dict:
    """The numbers of a contrast and a model, as shown on the page. name: of the table."""
    of_model = numbers[(numbers["model"] == model) & (numbers["unit"] == name)]
    rows = of_model[of_model["group"] == group]
    ours = rows[rows["definition"] == OWN].set_index("variant")
    published = rows[rows["definition"] == PAPER].set_index("variant")
    difference = ours.loc[DIFFERENCE]

    def cell(variant: str) -> dict | None:
        return noted(ours.loc[variant]) if variant in ours.index else None

    mass = of_model.set_index("variant").loc[MASS]
    return {
        **{"unit": name, "group": group, "n": text(difference["n"], ",.0f"), "difference": noted(difference)},
        **{"p": p_text(difference["p_adjusted"]), "spread": cell(SPREAD), "above": cell(ABOVE)},
        "bound": text(ours.loc[BOUND, "estimate"]) if BOUND in ours.index else None,
        "mass": text(mass["estimate"]),
        "published": noted(published.loc[DIFFERENCE]) if len(published) else None,
    }
