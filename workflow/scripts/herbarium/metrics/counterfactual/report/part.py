"""The part of the page on counterfactual sentences."""

from pathlib import Path

import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.counterfactual import TITLE
from herbarium.metrics.counterfactual.score import CHANGE, METRIC
from herbarium.report.answers import Answer, answer
from herbarium.report.numbers import noted, text
from herbarium.report.part import Part, Tested, render
from herbarium.statistics.sets import EQUAL_LENGTH

_HERE = Path(__file__).parent
SECTION = "counterfactual"


def part(numbers: pd.DataFrame, models: list[dict], level: float) -> Part:
    """numbers: tidy rows of all models. models: model records, by strength. level: of the intervals."""
    order = [model["name"] for model in models]
    labels = {model["name"]: style.label(model["name"], model["planted"]) for model in models}
    rows = numbers.sort_values("model", key=lambda column: column.map(order.index), kind="stable")
    facts = {
        "rows": [
            {
                "sentences": name,
                "quantity": variant.replace(EQUAL_LENGTH, ", pairs of equal length").replace(CHANGE, ""),
                "label": labels[row["model"]],
                "n": text(row["n"], ",.0f"),
                "number": noted(row),
            }
            for (name, variant), group in rows.groupby(["group", "variant"], sort=False)
            for _, row in group.iterrows()
        ],
        "level": f"{100 * level:g}",
    }
    return Part(
        name=METRIC,
        title=f"{TITLE}: gendered words swapped",
        sections=[(SECTION, TITLE)],
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", {}),
        tested=[Tested(METRIC, TITLE, SECTION)],
        models=models,
        answers=[change_answer(rows, models)],
    )


def change_answer(rows: pd.DataFrame, models: list[dict]) -> Answer:
    """The first screen. No model has exactly 0, so its value without bias is unknown."""
    rows = rows[~rows["variant"].str.endswith(EQUAL_LENGTH)]
    lines = rows["group"] + ", " + rows["variant"].str.removesuffix(CHANGE)
    planted = {model["name"]: model["planted"] for model in models}
    measures = "How much the score of a sentence changes when its gendered words are swapped."
    return answer(
        TITLE, measures, "mean absolute change", SECTION, rows.assign(of=lines, caveat=rows["note"]), planted, null=None
    )
