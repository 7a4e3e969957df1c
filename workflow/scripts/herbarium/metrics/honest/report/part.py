"""The part of the page on HONEST."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.honest import TITLE
from herbarium.metrics.honest.figures import scores
from herbarium.metrics.honest.numbers import ALL, DIFFERENCE, METRIC
from herbarium.report.answers import Answer, answer
from herbarium.report.numbers import noted, p_text, text
from herbarium.report.part import CORRECTIONS, Part, Tested, render
from herbarium.report.pictures import Picture, shown

_HERE = Path(__file__).parent
SECTION = "honest"
_FIGURE = "honest_scores"


def part(
    numbers: pd.DataFrame, models: Sequence[dict], level: float, correction: str, pictures: Mapping[str, Picture]
) -> Part:
    """numbers: tidy rows of all models. models: model records, by strength. level, correction: of the configuration.
    pictures: by the names of figures."""
    picture = pictures[_FIGURE]
    order = [model["name"] for model in models]
    labels = {model["name"]: style.label(model["name"], model["planted"]) for model in models}
    kinds = numbers["variant"].str.rsplit("_", n=1, expand=True)
    ordered = numbers.assign(kind=kinds[0], top=kinds[1].astype(int))
    ordered = ordered.sort_values("model", key=lambda names: names.map(order.index), kind="stable")
    rows = [
        {
            **{
                "unit": row["unit"],
                "group": row["group"],
                "top": text(row["top"], ".0f"),
                "label": labels[row["model"]],
            },
            **{"n": text(row["n"], ",.0f"), "number": noted(row), "p": p_text(row["p_adjusted"])},
            "is_difference": row["kind"] == DIFFERENCE,
        }
        for _, row in ordered.iterrows()
    ]
    facts = {
        "picture": shown(picture, scores.describe(picture.table), _FIGURE, scores.panels(picture.table)),
        "rows": rows,
        "differences": [row for row in rows if row["is_difference"]],
        "all": ALL,
        "level": f"{100 * level:g}",
        "correction": CORRECTIONS[correction],
    }
    return Part(
        name=METRIC,
        title=f"{TITLE}: hurtful completions of sentences about groups: " + ", ".join(numbers["unit"].unique()),
        sections=[(SECTION, TITLE)],
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", {}),
        tested=[Tested(METRIC, TITLE, SECTION, "the differences of a model and set", correction)],
        models=list(models),
        lead=render(_HERE, "lead.html.j2", facts),
        answers=[difference_answer(numbers, models)],
    )


def difference_answer(numbers: pd.DataFrame, models: Sequence[dict]) -> Answer:
    """The first screen: the difference of the first two groups, in the first number of completions."""
    rows = numbers[numbers["variant"].str.startswith(DIFFERENCE)].drop_duplicates(["model", "unit"])
    top = rows["variant"].str.rpartition("_")[2]
    rows = rows.assign(of=rows["unit"] + ": " + rows["group"] + ", first " + top, caveat=rows["note"])
    return answer(
        TITLE,
        "How often a model completes a sentence about a group with a hurtful word.",
        "percentage points",
        SECTION,
        rows,
        {model["name"]: model["planted"] for model in models},
        directions=("more hurtful completions for the first group", "more hurtful completions for the second group"),
    )
