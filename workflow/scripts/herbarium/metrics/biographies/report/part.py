"""The part of the page on biographies: facts here, sentences in the templates next to this file."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from herbarium.metrics.biographies import TITLE
from herbarium.metrics.biographies.figures import gaps
from herbarium.metrics.biographies.numbers import FINETUNED, GAP, IN_WORDS, LEADING, METRIC, OF_LAYER, SLOPE
from herbarium.metrics.biographies.stimuli import GENDERS, PARTS
from herbarium.report.answers import Answer, answer, untested
from herbarium.report.numbers import noted, p_text, text
from herbarium.report.part import CORRECTIONS, Part, Tested, render
from herbarium.report.pictures import Picture, shown

_HERE = Path(__file__).parent
SECTION = "biographies"


def part(
    numbers: pd.DataFrame,
    models: Sequence[dict],
    texts: Mapping[str, dict],
    planted: Mapping[str, float],
    level: float,
    correction: str,
    pictures: Mapping[str, Picture],
) -> Part:
    """numbers: tidy rows of all sources and fine-tuned models. models: model records, by strength. texts: for each
    task, the result of `stimuli.counted`. planted: strength of the biographies of each planted task. level: of the
    intervals. correction: of the p-values. pictures: by the name of the figure."""
    of_layers = numbers[numbers["variant"] != GAP]
    indexed = of_layers.set_index(["unit", "model", "group", "definition", "variant"]).sort_index()
    places = of_layers.drop_duplicates(["unit", "model", "group", "definition"])
    rows = [
        _row(indexed, *place, planted)
        for place in places[["unit", "model", "group", "definition"]].itertuples(index=False, name=None)
    ]
    last = {(row["unit"], row["source"]): row for row in rows if row["definition"] == IN_WORDS[LEADING]}
    picture = pictures[f"{METRIC}_gaps"]
    facts = {
        "picture": shown(picture, gaps.describe(picture.table), f"{METRIC}_gaps", gaps.panels(picture.table)),
        "rows": rows,
        "finetuned": any(row["layer"] == FINETUNED for row in rows),
        "probed": any(row["layer"] != FINETUNED for row in rows),
        "texts": [_counts(task, counts) for task, counts in texts.items()],
        "last": list(last.values()),
        "level": f"{100 * level:g}",
        "correction": CORRECTIONS[correction],
    }
    of_source = "layers, forms of the texts and kinds of training of a source, or fine-tuned model, and task"
    families = f"slopes, and absolute differences: {of_source}; gaps: occupations"
    return Part(
        name=METRIC,
        title=TITLE,
        sections=[(SECTION, TITLE)],
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", {}),
        tested=[Tested(METRIC, TITLE, SECTION, families, correction)],
        models=list(models),
        papers=[(METRIC, "Zhao (2021), Section 3.3.3", SECTION)],
        lead=render(_HERE, "lead.html.j2", facts),
        answers=[slope_answer(numbers, models, planted)],
    )


def slope_answer(numbers: pd.DataFrame, models: Sequence[dict], planted: Mapping[str, float]) -> Answer:
    """The first screen: the slope in the last layer, or of a fine-tuned model. planted: as of `part`."""
    rows = numbers[(numbers["definition"] == LEADING) & (numbers["variant"] == SLOPE)]
    rows = rows.drop_duplicates(["unit", "model"], keep="last")
    rows = rows.assign(withheld=untested(rows))
    return answer(
        "Occupations from biographies",
        "How much accuracy for women minus accuracy for men rises with the share of women in an occupation.",
        "slope",
        SECTION,
        rows.assign(of=rows["unit"], planted_texts=rows["unit"].map(planted)),
        {model["name"]: model["planted"] for model in models},
        directions=(
            "the rarer gender of an occupation is told worse",
            "the rarer gender of an occupation is told better",
        ),
    )


def _row(
    indexed: pd.DataFrame, unit: str, source: str, layer: str, definition: str, planted: Mapping[str, float]
) -> dict:
    """The numbers of a task, a source, a layer and a form of the texts as on the page."""
    layer_rows = indexed.loc[(unit, source, layer, definition)]
    cells = {
        variant: noted(layer_rows.loc[variant]) | {"p": p_text(layer_rows.loc[variant, "p_adjusted"])}
        for variant in OF_LAYER
    }
    keys = {"unit": unit, "source": source, "layer": layer, "definition": IN_WORDS[definition]}
    return keys | cells | {"n": text(layer_rows["n"].iloc[0], ",.0f"), "planted": planted.get(unit)}


def _counts(task: str, counts: Mapping) -> dict:
    """The biographies of a task as on the page."""
    n = {f"{part}_{gender}": text(counts["parts"][part][gender], ",.0f") for part in PARTS for gender in GENDERS}
    remarks = [f"{n:,} {what}" for what, n in counts["said"].items()]
    few = [f"{occupation} ({why})" for occupation, why in counts["left_out"].items()]
    return n | {"task": task, "n_occupations": text(counts["n_occupations"], ",.0f"), "said": remarks, "few": few}
