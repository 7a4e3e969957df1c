"""The part of the page on intrinsic against extrinsic measures: facts here, sentences in the templates next to it.

`labels` maps the name of a model to its label.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from herbarium.drawing import style
from herbarium.drawing.tasks import titled
from herbarium.metrics.propagation import TITLE, score
from herbarium.metrics.propagation.figures import scatter
from herbarium.report.answers import Answer, answer
from herbarium.report.numbers import least_p
from herbarium.report.part import Part, Tested, render
from herbarium.report.pictures import Picture, shown
from herbarium.report.tasks import ABSENT, correlation, of_models
from herbarium.statistics import correlation as correlations
from herbarium.statistics.inference import least_p_value

_HERE = Path(__file__).parent
FIGURE = "propagation_scatter"
_STRONGEST = 3  # correlations named in a sentence
_FEWEST_MODELS = 3  # of which there is a correlation
_LEAVES = "C_w, leaves"
_OF_TOPIC = "f/"  # how a measure begins that is of a topic of HERB
# Correlations over countries: outcome, and among which countries.
CORRELATIONS = {
    score.PRIMARY: "effect, within continents, given the name",
    "within_effect": "effect, within continents",
    "spearman_effect": "effect, all countries",
    "within_given_absolute_effect": "size of the effect, within continents, given the name",
}
# The first of these corrected for errors, and the reliability of its sides.
RELIABILITY = {
    "reliability_measure": "reliability of the measure",
    "reliability_effect": "reliability of the effect",
    "disattenuated_effect": "first column, corrected for errors",
}


def part(
    numbers: pd.DataFrame,
    tasks: Mapping[str, float | None],
    labels: Mapping[str, str],
    pictures: Mapping[str, Picture],
    settings: dict,
) -> Part:
    """
    numbers: tidy rows of the metric. tasks: the strength of the bias planted in the texts of each, None for those that
    are not planted. labels: of all models of tasks, in the order of tables. pictures: the figure by the name of its
    files, if there is one. settings: the section of the configuration, plain data.
    """
    numbers = with_least(numbers.reset_index(drop=True), settings["tests"]["correction"])
    facts = {
        "settings": settings,
        "countries": [
            table | {"title": titled(task, strength)}
            for task, strength in tasks.items()
            if (table := over_countries(numbers, task, labels))["rows"]
        ],
        "correlations": CORRELATIONS,
        "reliability": RELIABILITY,
        "leaves": _LEAVES,
        "models": over_models(numbers, tasks),
        "picture": _shown(pictures[FIGURE], numbers) if FIGURE in pictures else None,
    }
    family = "the correlations of a model and task, or of a task over models"
    return Part(
        name=score.METRIC,
        title=f"{TITLE}: whether intrinsic measures predict the effects of regions in tasks (after Li et al., 2022)",
        sections=[("propagation", TITLE)],
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", {}),
        tested=[Tested(score.METRIC, TITLE, "propagation", family, settings["tests"]["correction"])],
        models=[],
        lead=render(_HERE, "lead.html.j2", facts),
        answers=[herb_answer(numbers, labels)],
        topics=list(dict.fromkeys(row["topic"] for task in facts["countries"] for row in task["rows"] if row["topic"])),
    )


def herb_answer(numbers: pd.DataFrame, labels: Mapping[str, str]) -> Answer:
    """The first screen: the correlation of HERB with effects in tasks, over countries."""
    rows = numbers[(numbers["variant"] == score.PRIMARY) & (numbers["unit"] == "country")]
    places = {name: place for place, name in enumerate((*scatter.MEASURES, score.C_W))}
    rows = rows.assign(
        of=[group.partition("/")[0] for group in rows["group"]],
        place=[places.get(group.partition("/")[2]) for group in rows["group"]],
    ).dropna(subset="place")
    rows = rows[rows["model"].isin(labels)].sort_values("place", kind="stable").drop_duplicates(["model", "of"])
    measures = "Whether the HERB score of a country predicts the effect of naming it in a task."
    directions = ("effects rise with HERB", "effects fall with HERB")
    return answer(
        TITLE,
        measures,
        "rank correlation",
        "propagation",
        rows,
        {},
        directions=directions,
    )


def _shown(picture: Picture, numbers: pd.DataFrame) -> dict:
    """The page's data of the figure."""
    table = picture.table
    return shown(picture, scatter.describe(table, numbers), FIGURE, scatter.panels(table, numbers))


def with_least(numbers: pd.DataFrame, correction: str) -> pd.DataFrame:
    """The rows of the metric with the least adjusted p-value that each test can give."""

    def alone(row: pd.Series) -> float:
        if row["unit"] == "model":
            n_extreme = 2 if correlations.tries_all(row["n"]) else 1
            return least_p_value(correlations.arrangements(row["n"]), n_extreme)
        return least_p_value(1 + correlations.PERMUTATIONS)

    tested = numbers[numbers["p_value"].notna()]
    tested = tested.assign(task=[group.partition("/")[0] for group in tested["group"]])
    least_alone = pd.Series([alone(row) for _, row in tested.iterrows()], tested.index, dtype=float)
    return numbers.assign(least=least_p(tested, least_alone, ["model", "unit", "task"], correction))


def over_countries(numbers: pd.DataFrame, task: str, labels: Mapping[str, str]) -> dict:
    """For a task: one row per model and intrinsic measure with its correlations over countries, one row per model with
    that of distances (Mantel), and for each model the number that are significant after adjustment, the strongest of
    these, and the correlation of C_w with effects.
    """
    rows, distances, findings = [], [], []
    for label, results in of_models(numbers[numbers["unit"] == "country"], task, labels):
        tested = [(key, row) for key, row in results.items() if pd.notna(row["p_adjusted"])]
        significant = [pair for pair in tested if pair[1]["p_adjusted"] < style.ALPHA]
        significant.sort(key=lambda pair: -abs(pair[1]["estimate"]))
        measures = list(dict.fromkeys(group for variant, _, group in results if variant in CORRELATIONS))
        of_herb = next((measure for measure in scatter.MEASURES if measure in measures), score.C_W)
        findings.append(
            {
                "label": label,
                "n": len(tested),
                "n_significant": len(significant),
                "strongest": [
                    correlation(row) | {"measure": _measure(measure), "with": CORRELATIONS.get(variant)}
                    for (variant, _, measure), row in significant[:_STRONGEST]
                ],
                "of_herb": correlation(results.get((score.PRIMARY, "country", of_herb), ABSENT)),
            }
        )
        for measure in measures:
            cells = [correlation(results.get((variant, "country", measure), ABSENT)) for variant in CORRELATIONS]
            reliable = [correlation(results.get((variant, "country", measure), ABSENT)) for variant in RELIABILITY]
            topic = measure.removeprefix(_OF_TOPIC) if measure.startswith(_OF_TOPIC) else None
            row = {"label": label, "measure": _measure(measure), "topic": topic}
            rows.append(row | {"cells": cells, "reliable": reliable})
        distances += [
            {"label": label} | correlation(row) for (variant, *_), row in results.items() if variant == "mantel"
        ]
    return {"task": task, "rows": rows, "distances": distances, "findings": findings}


def over_models(numbers: pd.DataFrame, tasks: Iterable[str]) -> dict | None:
    """One row per task and intrinsic score with its correlations over models, and the number of scores with too few
    models for one (`n_too_few`); None without any.
    """
    of_all = numbers[numbers["unit"] == "model"]
    rows, n_too_few = [], 0
    for task in tasks:
        for _, results in of_models(of_all, task, {score.ALL_MODELS: score.ALL_MODELS}):
            for name in dict.fromkeys(group for *_, group in results):
                outcome_rows = [
                    results.get((f"spearman_{outcome}", "model", name), ABSENT) for outcome in score.OUTCOMES
                ]
                if max(row["n"] for row in outcome_rows) < _FEWEST_MODELS:
                    n_too_few += 1
                else:
                    rows.append({"task": task, "score": name, "cells": [correlation(row) for row in outcome_rows]})
    return {"rows": rows, "n_too_few": n_too_few} if rows or n_too_few else None


def _measure(measure: str) -> str:
    """An intrinsic measure in words."""
    known = {score.LEAVES: _LEAVES, "v": "distances of descriptive vectors"}
    return known.get(measure, measure)
