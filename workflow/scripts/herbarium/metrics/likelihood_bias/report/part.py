"""The part of the page on likelihood bias."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.likelihood_bias import TITLE
from herbarium.metrics.likelihood_bias.figures import axes
from herbarium.metrics.likelihood_bias.numbers import (
    AXIS,
    BOUND,
    DESCRIPTOR,
    DEVIATION,
    GIVEN_LENGTH,
    METRIC,
    SHARE,
    VARIANCE,
)
from herbarium.models.kinds import Kind
from herbarium.report.answers import Answer, answer, untested
from herbarium.report.numbers import noted, number, p_text, text
from herbarium.report.part import CORRECTIONS, Part, Tested, render
from herbarium.report.pictures import Picture, shown

_HERE = Path(__file__).parent
SECTION = "likelihood-bias"
_FIGURE = "likelihood_bias_axes"
# Descriptors of an axis that the page names; the table has all.
_NAMED = 3


def part(
    numbers: pd.DataFrame, models: Sequence[dict], level: float, correction: str, pictures: Mapping[str, Picture]
) -> Part:
    """numbers: tidy rows of all models. models: model records, by strength. level, correction: of the configuration.
    pictures: by the names of figures."""
    picture = pictures[_FIGURE]
    labels = {model["name"]: style.label(model["name"], model["planted"]) for model in models}
    ordered = axes.table(numbers, list(models))
    places = zip(ordered["model"], ordered["stimuli"] + "/" + ordered["axis"], strict=True)
    facts = {
        "picture": shown(picture, axes.describe(picture.table), _FIGURE, axes.panels(picture.table)),
        "rows": [row(numbers, model, group, labels[model]) for model, group in places],
        "level": f"{100 * level:g}",
        "correction": CORRECTIONS[correction],
        "is_masked": any(model["kind"] == Kind.masked for model in models),
    }
    return Part(
        name=METRIC,
        title=f"{TITLE}: " + ", ".join(ordered["stimuli"].unique()),
        sections=[(SECTION, TITLE)],
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", facts),
        tested=[Tested(METRIC, TITLE, SECTION, "the axes of a model, and the descriptors of an axis", correction)],
        models=list(models),
        lead=render(_HERE, "lead.html.j2", facts),
        answers=[variance_answer(numbers, models)],
    )


def variance_answer(numbers: pd.DataFrame, models: Sequence[dict]) -> Answer:
    """The first screen: the variance between the descriptors of each axis."""
    rows = numbers[numbers["variant"] == VARIANCE]
    rows = rows.assign(of=rows["group"], caveat=rows["note"].where(rows["estimate"].notna()), withheld=untested(rows))
    planted = {model["name"]: model["planted"] for model in models}
    measures = "How differently likely sentences are by the group that they name, all else equal."
    return answer("Likelihood by group", measures, "natural log²", SECTION, rows, planted)


def row(numbers: pd.DataFrame, model: str, group: str, label: str) -> dict:
    """The numbers of an axis and a model, as shown on the page."""
    of_model = numbers[numbers["model"] == model]
    of_axis = of_model[(of_model["unit"] == AXIS) & (of_model["group"] == group)].set_index("variant")
    variance = of_axis.loc[VARIANCE]

    def cell(variant: str) -> dict | None:
        return noted(of_axis.loc[variant]) if variant in of_axis.index else None

    apart = of_model[(of_model["unit"] == DESCRIPTOR) & of_model["group"].str.startswith(f"{group}/")]
    apart = apart[(apart["variant"] == DEVIATION) & (apart["p_adjusted"] < style.ALPHA)].sort_values("estimate")
    names = apart["group"].str[len(group) + 1 :].tolist()
    lower, higher = int((apart["estimate"] < 0).sum()), int((apart["estimate"] > 0).sum())
    return {
        **{"group": group, "label": label, "n": text(of_axis.loc[SHARE, "n"], ",.0f"), "variance": noted(variance)},
        **{"p": p_text(variance["p_adjusted"]), "factor": text(np.exp(np.sqrt(max(variance["estimate"], 0.0))), ".3g")},
        **{"given_length": cell(GIVEN_LENGTH), "share": number(of_axis.loc[SHARE], 100)},
        "bound": text(of_axis.loc[BOUND, "estimate"]) if BOUND in of_axis.index else None,
        "likeliest": names[: min(lower, _NAMED)],
        "least_likely": names[::-1][: min(higher, _NAMED)],
        "n_apart": len(names),
    }
