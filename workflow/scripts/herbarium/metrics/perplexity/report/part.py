"""The part of the page on pseudo-perplexity."""

from pathlib import Path

import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.perplexity import TITLE
from herbarium.metrics.perplexity.score import METRIC, PERPLEXITY
from herbarium.report.numbers import noted, text
from herbarium.report.part import Part, Tested, render

_HERE = Path(__file__).parent
SECTION = "perplexity"


def part(numbers: pd.DataFrame, models: list[dict], level: float, max_words: int) -> Part:
    """numbers: tidy rows of all models. models: model records, by strength. level: of the intervals. max_words: the
    length to which texts were cut."""
    order = [model["name"] for model in models]
    labels = {model["name"]: style.label(model["name"], model["planted"]) for model in models}
    rows = numbers[numbers["variant"] == PERPLEXITY]
    rows = rows.sort_values("model", key=lambda column: column.map(order.index), kind="stable")
    corpora = dict(list(rows.groupby("group", sort=False)))
    facts = {
        "corpora": [
            {
                "name": name,
                "rows": [
                    {
                        "label": labels[row["model"]],
                        "number": noted(row),
                        "n": text(row["n"], ",.0f"),
                    }
                    for _, row in corpus_rows.iterrows()
                ],
            }
            for name, corpus_rows in corpora.items()
        ],
        "level": f"{100 * level:g}",
        "max_words": max_words,
    }
    return Part(
        name=METRIC,
        title=f"{TITLE} of held-out texts: " + ", ".join(corpora),
        sections=[(SECTION, TITLE)],
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", {}),
        tested=[Tested(METRIC, TITLE, SECTION)],
        models=models,
    )
