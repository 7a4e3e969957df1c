"""The part of the page on regions in context: facts here, sentences in the templates next to this file."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from herbarium.metrics.regions_in_context import TITLE
from herbarium.metrics.regions_in_context.figures import layers
from herbarium.metrics.regions_in_context.names import ACCURACY, AGREEMENT, METRIC, OF_LAYER, SENTENCES
from herbarium.report.answers import Answer, answer
from herbarium.report.numbers import noted, p_text, text
from herbarium.report.part import Part, Tested, render
from herbarium.report.pictures import Picture, shown

_HERE = Path(__file__).parent
SECTION = "regions_in_context"
# Accuracy on the page is that with words held out.
_SHOWN = [key for key in OF_LAYER if key != (ACCURACY, SENTENCES)]


def part(
    numbers: pd.DataFrame,
    models: Sequence[dict],
    model_of: Mapping[str, str],
    level: float,
    pictures: Mapping[str, Picture],
) -> Part:
    """numbers: tidy rows of all sources. models: model records, by strength. model_of: the model of each source. level:
    of the intervals. pictures: by the name of the figure."""
    indexed = numbers.set_index(["unit", "model", "group", "variant", "definition"]).sort_index()
    places = numbers.drop_duplicates(["unit", "model", "group"])[["unit", "model", "group"]]
    planted = {model["name"]: model["planted"] for model in models}
    rows = [_row(indexed, *place, planted[model_of[place[1]]]) for place in places.itertuples(index=False, name=None)]
    picture = pictures[f"{METRIC}_layers"]
    facts = {
        "picture": shown(picture, layers.describe(picture.table), f"{METRIC}_layers", layers.panels(picture.table)),
        "rows": rows,
        "last": list({(row["unit"], row["source"]): row for row in rows}.values()),
        "level": f"{100 * level:g}",
    }
    family = "stereotype agreement, share in common: the layers of a source and a set, separately"
    return Part(
        name=METRIC,
        title=TITLE,
        sections=[(SECTION, TITLE)],
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", {}),
        tested=[Tested(METRIC, TITLE, SECTION, family, "largest")],
        models=list(models),
        lead=render(_HERE, "lead.html.j2", facts),
        answers=[last_answer(numbers, {source: planted[model] for source, model in model_of.items()})],
    )


def last_answer(numbers: pd.DataFrame, planted: Mapping[str, float | None]) -> Answer:
    """The first screen: stereotype agreement in the last layer. planted: strength by source."""
    rows = numbers[numbers["variant"] == AGREEMENT].drop_duplicates(["unit", "model"], keep="last")
    measures = "Whether words lean towards the regions that stereotypes link them to, in the last layer."
    directions = ("words lean as stereotypes have it", "words lean against stereotypes")
    rows = rows.assign(of=rows["unit"])
    return answer(TITLE, measures, "correlation", SECTION, rows, planted, directions=directions)


def _row(indexed: pd.DataFrame, unit: str, source: str, layer: str, planted: float | None) -> dict:
    """The numbers of a set, a source and a layer as on the page."""
    layer_rows = indexed.loc[(unit, source, layer)]
    cells = {key[0]: noted(layer_rows.loc[key]) | {"p": p_text(layer_rows.loc[key, "p_adjusted"])} for key in _SHOWN}
    keys = {"unit": unit, "source": source, "layer": layer, "planted": planted}
    return keys | cells | {"n": text(layer_rows["n"].iloc[0], ",.0f")}
