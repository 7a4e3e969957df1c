"""The part of the page on gender in context: facts here, sentences in the templates next to this file."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from herbarium.metrics.gender_in_context import TITLE
from herbarium.metrics.gender_in_context.figures import components, layers
from herbarium.metrics.gender_in_context.names import (
    ACCURACY,
    COMMON,
    DIFFERENCE,
    FIRST,
    GAP,
    GENDER,
    METRIC,
    NEUTRAL,
    PAIRS,
    RBF,
    SELECTIVITY,
    WORDS,
)
from herbarium.report.answers import Answer, answer
from herbarium.report.numbers import noted, p_text, text
from herbarium.report.part import CORRECTIONS, Part, Tested, render
from herbarium.report.pictures import Picture, shown

_HERE = Path(__file__).parent
SECTION = "gender_in_context"
_ACCURACY, _GAP, _SELECTIVITY = (f"{measure}_{RBF}" for measure in (ACCURACY, GAP, SELECTIVITY))


def part(
    numbers: pd.DataFrame,
    models: Sequence[dict],
    model_of: Mapping[str, str],
    level: float,
    correction: str,
    pictures: Mapping[str, Picture],
) -> Part:
    """numbers: tidy rows of all sources. models: model records, by strength. model_of: the model of each source. level:
    of the intervals. correction: of the gaps. pictures: by the name of the figure."""
    indexed = numbers.set_index(["unit", "model", "group", "definition", "variant"]).sort_index()
    places = numbers.drop_duplicates(["unit", "model", "group"])[["unit", "model", "group"]]
    planted = {model["name"]: model["planted"] for model in models}
    rows = [_row(indexed, *place, planted[model_of[place[1]]]) for place in places.itertuples(index=False, name=None)]
    facts = {
        "pictures": [
            shown(pictures[f"{METRIC}_{name}"], module.describe(table), f"{METRIC}_{name}", module.panels(table))
            for name, module in (("layers", layers), ("components", components))
            for table in [pictures[f"{METRIC}_{name}"].table]
        ],
        "rows": rows,
        "last": [row for row, after in zip(rows, [*rows[1:], None], strict=True) if not after or _is_other(row, after)],
        "level": f"{100 * level:g}",
        "correction": CORRECTIONS[correction],
    }
    families = "the layers of a source", "the layers, kernels and held-out schemes of a source"
    return Part(
        name=METRIC,
        title=TITLE,
        sections=[(SECTION, TITLE)],
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", {}),
        tested=[Tested(METRIC, TITLE, SECTION, "; accuracy gaps: ".join(families), correction)],
        models=list(models),
        papers=[(METRIC, "Zhao (2021), Section 3.2.2", SECTION)],
        lead=render(_HERE, "lead.html.j2", facts),
        answers=[last_answer(numbers, {source: planted[model] for source, model in model_of.items()})],
    )


def last_answer(numbers: pd.DataFrame, planted: Mapping[str, float | None]) -> Answer:
    """The first screen: the stereotype difference in the last layer. planted: strength by source."""
    rows = numbers[(numbers["definition"] == GENDER) & (numbers["variant"] == DIFFERENCE)]
    rows = rows.drop_duplicates(["unit", "model"], keep="last")
    measures = "How far words that stereotypes assign to one gender lie from those of the other, in the last layer."
    directions = ("words lean as stereotypes have it", "words lean against stereotypes")
    rows = rows.assign(of=rows["unit"])
    return answer(TITLE, measures, "effect of the gender itself", SECTION, rows, planted, directions=directions)


def _is_other(row: dict, after: dict) -> bool:
    return (row["unit"], row["source"]) != (after["unit"], after["source"])


def _row(indexed: pd.DataFrame, unit: str, source: str, layer: str, planted: float | None) -> dict:
    """The numbers of a set, a source and a layer as on the page."""

    def cell(definition: str, variant: str) -> dict | None:
        if (place := (unit, source, layer, definition, variant)) not in indexed.index:
            return None
        row = indexed.loc[place]
        return noted(row) | {"p": p_text(row["p_adjusted"])}

    n = indexed.loc[(unit, source, layer)]["n"].iloc[0]
    return {
        **{"unit": unit, "source": source, "layer": layer, "n": text(n, ",.0f"), "planted": planted},
        "difference": cell(GENDER, DIFFERENCE),
        "common": cell(GENDER, COMMON),
        "common_neutral": cell(NEUTRAL, COMMON),
        "first": cell(GENDER, FIRST),
        "accuracy": cell(WORDS, _ACCURACY),
        "gap": cell(WORDS, _GAP),
        "selectivity": cell(PAIRS, _SELECTIVITY),
    }
