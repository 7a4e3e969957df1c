"""The part of the page on named-entity recognition."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.tagging import TITLE
from herbarium.metrics.tagging.score import ALL, METRIC
from herbarium.report.numbers import noted, text
from herbarium.report.part import Part, Tested, render

_HERE = Path(__file__).parent
SECTION = "tagging"


def part(numbers: pd.DataFrame, models: list[dict], tasks: Sequence[Mapping], training: Mapping, level: float) -> Part:
    """numbers: tidy rows of all models. models: model records, by strength. tasks: the metadata of their tables of
    sentences. training: as in the configuration. level: of the intervals."""
    order = [model["name"] for model in models]
    labels = {model["name"]: style.label(model["name"], model["planted"]) for model in models}
    rows = numbers.sort_values("model", key=lambda column: column.map(order.index), kind="stable")
    facts = {
        "tasks": [_task(task, rows[rows["group"].str.startswith(f"{task['name']}/")], labels) for task in tasks],
        "training": training,
        "level": f"{100 * level:g}",
    }
    return Part(
        name=METRIC,
        title=f"{TITLE}: " + ", ".join(task["name"] for task in tasks),
        sections=[(SECTION, TITLE)],
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", {}),
        tested=[Tested(METRIC, TITLE, SECTION)],
        papers=[(METRIC, "Ahn and Oh (2021)", SECTION)],
        models=models,
    )


def _task(task: Mapping, rows: pd.DataFrame, labels: Mapping[str, str]) -> dict:
    data, summary = task["task"]["data"], task["summary"]
    return {
        "name": task["name"],
        "origin": "planted sentences" if data["planted"] else data["hub"] or data["path"],
        "counts": summary["counts"],
        "in_both": summary["in_both"],
        "noted": [f"{n:,} {what}" for what, n in summary["noted"].items()],
        "rows": [
            {
                "label": labels[row["model"]],
                "of": row["group"].partition("/")[2],
                "is_all": row["unit"] == ALL,
                "number": noted(row, scale=100),
                "n": text(row["n"], ",.0f"),
            }
            for _, row in rows.iterrows()
        ],
    }
