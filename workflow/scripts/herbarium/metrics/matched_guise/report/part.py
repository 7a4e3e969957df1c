"""The part of the page on matched guise probing."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.matched_guise import TITLE
from herbarium.metrics.matched_guise.figures import associations
from herbarium.metrics.matched_guise.numbers import ASSOCIATION, CORRELATION, MEAN, METRIC, SLOPE, TOP_RATING
from herbarium.metrics.matched_guise.score import TOP
from herbarium.report.answers import Answer, answer
from herbarium.report.numbers import least_p, noted, p_text, p_value, text
from herbarium.report.part import CORRECTIONS, Part, Tested, render
from herbarium.report.pictures import Picture, shown
from herbarium.statistics.randomisation import least_p_value

_HERE = Path(__file__).parent
SECTION = "matched-guise"
_FIGURE = "matched_guise_associations"
_MEASURES = {
    SLOPE: "How much likelier attributes with a higher rating are after a text in a dialect than after the same in the "
    "standard.",
    MEAN: "How much likelier attributes are after a text in a dialect than after the same in the standard.",
}
_UNITS = {SLOPE: "nats per SD of ratings", MEAN: "nats"}
_DIRECTIONS = {
    SLOPE: ("the dialect is linked to higher ratings", "the dialect is linked to lower ratings"),
    MEAN: ("attributes are likelier after the dialect", "attributes are less likely after the dialect"),
}


def part(
    numbers: pd.DataFrame, models: Sequence[dict], level: float, correction: str, pictures: Mapping[str, Picture]
) -> Part:
    """numbers: tidy rows of all models. models: model records, by strength. level, correction: of the configuration.
    pictures: by the names of figures."""
    picture = pictures[_FIGURE]
    order = {model["name"]: place for place, model in enumerate(models)}
    labels = {model["name"]: style.label(model["name"], model["planted"]) for model in models}
    ordered = numbers.assign(rank=numbers["model"].map(order)).sort_values(["unit", "rank"], kind="stable")
    places = list(ordered.groupby(["unit", "model"], sort=False))
    facts = {
        "picture": shown(picture, associations.describe(picture.table), _FIGURE, associations.panels(picture.table)),
        "rows": [
            {"unit": name, "label": labels[model], **_whole(rows.set_index("variant"))}
            for (name, model), rows in places
        ],
        "attributes": [
            {"unit": name, "label": labels[model], **row}
            for (name, model), rows in places
            for row in _outermost(rows[rows["variant"] == ASSOCIATION], correction)
        ],
        "top": TOP,
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
        tested=[Tested(METRIC, TITLE, SECTION, "the attributes of a model", correction)],
        models=list(models),
        lead=render(_HERE, "lead.html.j2", facts),
        answers=list(_answers(ordered, models)),
    )


def _answers(numbers: pd.DataFrame, models: Sequence[dict]) -> list[Answer]:
    """The first screen: the slope of guises with ratings, the mean of others."""
    is_rated = numbers["unit"].isin(numbers.loc[numbers["variant"] == SLOPE, "unit"])
    planted = {model["name"]: model["planted"] for model in models}
    chosen = {SLOPE: numbers[is_rated], MEAN: numbers[~is_rated]}
    return [
        answer(
            f"{TITLE}: {variant}",
            _MEASURES[variant],
            _UNITS[variant],
            SECTION,
            rows.assign(of=rows["unit"], caveat=rows["note"]),
            planted,
            directions=_DIRECTIONS[variant],
        )
        for variant, of_kind in chosen.items()
        if len(rows := of_kind[of_kind["variant"] == variant])
    ]


def _whole(by_variant: pd.DataFrame) -> dict:
    """The numbers of all attributes, as shown. by_variant: rows of a model and its guises."""
    mean = by_variant.loc[MEAN]
    row = {"n": text(mean["n"], ",.0f"), "mean": noted(mean), "p_mean": p_text(mean["p_value"])}
    if SLOPE not in by_variant.index:
        return row | dict.fromkeys(("slope", "p_slope", "correlation", "p_correlation", "top_rating"))
    slope, correlation = by_variant.loc[SLOPE], by_variant.loc[CORRELATION]
    row |= {"slope": noted(slope), "p_slope": p_text(slope["p_value"])}
    row |= {"correlation": noted(correlation), "p_correlation": p_text(correlation["p_value"])}
    return row | {"top_rating": noted(by_variant.loc[TOP_RATING])}


def _outermost(rows: pd.DataFrame, correction: str) -> list[dict]:
    """The TOP attributes at either end, as shown; all if there are no more. rows: associations of a model."""
    least = least_p(rows, rows["n"].map(lambda n: least_p_value(int(n)) if n else 1.0), ["unit"], correction)
    ordered = rows.assign(least=least).sort_values("estimate", ascending=False, kind="stable")
    outer = pd.concat([ordered.head(TOP), ordered.iloc[TOP:].tail(TOP)])
    return [
        {"attribute": row["group"], "number": noted(row), "p": p_value(row["p_adjusted"], row["least"])}
        for _, row in outer.iterrows()
    ]
