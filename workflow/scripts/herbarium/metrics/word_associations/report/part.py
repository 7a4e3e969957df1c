"""The part of the page on word associations."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.word_associations import TITLE
from herbarium.metrics.word_associations.figures import occupations, sembias
from herbarium.metrics.word_associations.numbers import (
    ANALOGY,
    CHANCE,
    LEAN,
    OWN,
    PAPER,
    RND,
    RNSB,
    SEAT,
    SEMBIAS,
    SIMILARITY,
    SIZE,
    WEAT,
    WOMEN,
)
from herbarium.metrics.word_associations.sembias import DEFINITION, STEREOTYPE
from herbarium.metrics.word_associations.targets import METRIC
from herbarium.report.answers import Answer, answer
from herbarium.report.numbers import noted, p_text, text
from herbarium.report.part import CORRECTIONS, Part, Tested, render
from herbarium.report.pictures import Picture, shown

_HERE = Path(__file__).parent
SECTION = "word-associations"
_FIGURES = {"sembias": sembias, "occupations": occupations}
# The names of the numbers on the page; those with a known zero first.
TITLES = {
    LEAN: "Lean of stereotype pairs",
    WOMEN: "Projections and share of women",
    WEAT: "WEAT",
    SEAT: "SEAT",
    RND: "Relative norm distance",
    RNSB: "RNSB",
    SEMBIAS: "SemBias",
    SIZE: "Mean size of projections",
    SIMILARITY: "Word similarity",
    ANALOGY: "Analogies",
}
_AMONG = {PAPER: "all words of the source", OWN: "words of the list"}
_LED_BY = (LEAN, WOMEN, WEAT, SEAT)
_PAPER = "Zhao (2021), Chapter 3.1"


def part(
    numbers: pd.DataFrame,
    models: Sequence[dict],
    strengths: Mapping[str, float],
    level: float,
    correction: str,
    pictures: Mapping[str, Picture],
) -> Part:
    """numbers: tidy rows of all sources. models: records of the models whose vectors are sources. strengths: of planted
    sources, by name. level, correction: of the configuration. pictures: by the names of figures."""
    estimates, chance = (numbers[(numbers["definition"] == CHANCE) == is_chance] for is_chance in (False, True))
    keys = ["metric", "model", "variant", "unit", "group"]
    at_random = chance.set_index(keys)["estimate"].to_dict()
    several = estimates.groupby("model")["variant"].nunique() > 1
    rows = [
        _row(row, at_random.get(tuple(row[key] for key in keys)), strengths, several[row["model"]])
        for row in estimates.to_dict("records")
    ]
    facts = {
        "pictures": {name: _shown(name, module, pictures) for name, module in _FIGURES.items()},
        "tables": [
            {"metric": metric, "title": title, "rows": metric_rows, "id": f"table-{metric.replace('_', '-')}"}
            for metric, title in TITLES.items()
            if (metric_rows := [row for row in rows if row["metric"] == metric])
        ],
        "leading": [row for row in rows if _leads(row)],
        "level": f"{100 * level:g}",
        "correction": CORRECTIONS[correction],
    }
    measured = [metric for metric in TITLES if metric in set(estimates["metric"])]
    tested = [
        Tested(metric, TITLES[metric], SECTION, "the tests of this kind for a source", correction)
        for metric in measured
    ]
    return Part(
        name=METRIC,
        title=f"{TITLE}: {', '.join(dict.fromkeys(estimates['model']))}",
        sections=[(SECTION, TITLE)],
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", {}),
        tested=tested,
        models=list(models),
        papers=[(METRIC, _PAPER, SECTION)],
        lead=render(_HERE, "lead.html.j2", facts),
        answers=lean_answers(estimates, strengths),
    )


def lean_answers(estimates: pd.DataFrame, strengths: Mapping[str, float]) -> list[Answer]:
    """The first screen: the lean of stereotype pairs, if measured. estimates: tidy rows."""
    rows = estimates[(estimates["metric"] == LEAN) & (estimates["group"] == STEREOTYPE)]
    titles = rows["unit"] + rows["variant"].map(", layer {}".format).where(rows["variant"] != "", "")
    measures = "Whether stereotype pairs lie along the direction from women to men."
    if rows.empty:
        return []
    directions = ("pairs lie as stereotypes have them", "pairs lie against stereotypes")
    rows = rows.assign(of=titles)
    return [answer(TITLE, measures, "mean cosine", SECTION, rows, strengths, directions=directions)]


def _shown(name: str, module: ModuleType, pictures: Mapping[str, Picture]) -> dict:
    picture, name = pictures[f"{METRIC}_{name}"], f"{METRIC}_{name}"
    return shown(picture, module.describe(picture.table), name, module.panels(picture.table))


def _row(row: Mapping, at_random: float | None, strengths: Mapping[str, float], has_layers: bool) -> dict:
    label = style.label(row["model"], strengths.get(row["model"]))
    among = f", among {_AMONG[row['definition']]}" if row["metric"] == ANALOGY else ""
    return {
        **{key: row[key] for key in ("metric", "unit")},
        "group": f"{row['group']}{among}",
        "label": f"{label}, layer {row['variant']}" if has_layers else label,
        "n": text(row["n"], ",.0f"),
        "number": noted(pd.Series(row)),
        "at_random": text(float("nan") if at_random is None else at_random),
        "p": p_text(row["p_adjusted"]),
    }


def _leads(row: Mapping) -> bool:
    """Whether it is in the overview: numbers with a known zero, and the share of definition pairs."""
    of_pairs = {LEAN: STEREOTYPE, SEMBIAS: DEFINITION}
    return row["metric"] in _LED_BY and of_pairs.get(row["metric"], row["group"]) == row["group"]
