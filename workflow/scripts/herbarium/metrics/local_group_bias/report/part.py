"""The part of the page on local group bias: facts here, sentences in the templates next to it.

`names` maps identifiers of regions to their names, `labels` the name of a model or classifier to its label.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from herbarium.drawing import style
from herbarium.drawing.tasks import titled
from herbarium.metrics.local_group_bias import TITLE
from herbarium.metrics.local_group_bias.names import CORRECTION, METRIC
from herbarium.metrics.local_group_bias.numbers import K_MEANS
from herbarium.metrics.local_group_bias.published import groups_of
from herbarium.metrics.local_group_bias.score import EXACT, GAP, LEAST, PUBLISHED
from herbarium.report.answers import Answer, answer
from herbarium.report.numbers import is_unattainable, p_text
from herbarium.report.part import Part, Tested, render
from herbarium.report.tasks import ABSENT, cell, count, in_order, notes, share
from herbarium.statistics.inference import least_adjusted, least_p_value

_HERE = Path(__file__).parent
SECTION = "local-group-bias"
_FAMILY = "the comparisons of a model in a task, by number"
_CLUSTERS = 3  # clusters shown per comparison
_METHODS = (
    (f"LOGAN, {EXACT}", "paper", ""),
    ("K-Means, for comparison", "paper", f"_{K_MEANS}"),
    (f"LOGAN, {PUBLISHED}", "released", ""),
    ("K-Means, for comparison", "released", f"_{K_MEANS}"),
)


def part(
    numbers: pd.DataFrame,
    clusters: pd.DataFrame,
    planted: Mapping[str, float | None],
    names: Mapping[str, str],
    labels: Mapping[str, str],
    has_sets: bool,
    settings: dict,
) -> Part:
    """
    numbers: tidy rows of the metric. clusters: of the schema "local_group_bias_clusters". planted: task -> strength of
    its texts, None for those that are not planted. labels: in the order of tables. has_sets: whether models were
    fine-tuned on several training sets. settings: the section of the configuration, plain data.
    """
    # no family is larger than that of the task with most comparisons
    compared = numbers["group"].str.partition("/")
    n_compared = numbers.assign(task=compared[0]).groupby("task")["group"].nunique().max()
    least = least_adjusted(np.full(n_compared, least_p_value(settings["permutations"] + 1)), CORRECTION).max(initial=0)
    tasks = (of_task(numbers, clusters, task, strength, names, labels, least) for task, strength in planted.items())
    facts = {
        "settings": settings,
        "tasks": [task for task in tasks if task["rows"]],
        "least": LEAST,
        "gap": f"{100 * GAP:g}",
        "has_sets": has_sets,
    }
    return Part(
        name=METRIC,
        title=f"{TITLE}: clusters of texts in which groups are treated unequally (after Zhao and Chang, 2020)",
        sections=[(SECTION, TITLE)],
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", {}),
        tested=[Tested(METRIC, TITLE, SECTION, _FAMILY, CORRECTION)],
        models=[],
        papers=[(METRIC, "Zhao (2021), Chapter 4", SECTION)] if any(map(groups_of, compared[2])) else [],
        answers=[gap_answer(in_order(numbers, labels), planted, least)],
    )


def gap_answer(numbers: pd.DataFrame, planted: Mapping[str, float | None], least: float) -> Answer:
    """The first screen: the largest gap, which is above 0 by chance alone. least: the least possible adjusted
    p-value."""
    rows = numbers[(numbers["definition"] == "paper") & (numbers["variant"] == "largest_gap")]
    strengths = [planted[group.partition("/")[0]] for group in rows["group"]]
    rows = rows.assign(of=rows["group"].str.replace("/", ", ", n=1), planted_texts=strengths)
    rows = rows.assign(p_adjusted=float("nan") if is_unattainable(least) else rows["p_adjusted"])
    measures = "The largest gap between the accuracies of two groups in a cluster of texts."
    return answer(TITLE, measures, "difference of accuracies", SECTION, rows, {}, null=None)


def of_task(
    numbers: pd.DataFrame,
    clusters: pd.DataFrame,
    task: str,
    strength: float | None,
    names: Mapping[str, str],
    labels: Mapping[str, str],
    least: float,
) -> dict:
    """For a task: the results of each model and comparison, four rows per comparison (`_METHODS`), and the clusters of
    `exact` with the largest gaps.

    clusters: of the schema "local_group_bias_clusters". strength: of the task's texts, None if these are not planted,
    so that words of clusters are not the workflow's own. least: the least possible adjusted p-value.
    """
    chosen = numbers[numbers["group"].str.startswith(f"{task}/")]
    rows, facts = [], []
    chosen = chosen.assign(note=notes(chosen))
    for (model, group), model_rows in in_order(chosen, labels).groupby(["model", "group"], sort=False):
        comparison = _named(group.removeprefix(f"{task}/"), names)
        columns = {"label": labels[model], "comparison": comparison}
        by_method = {method: _method(model_rows, *method, least) for method in _METHODS}
        rows += [columns | row for row in by_method.values()]
        facts.append(columns | by_method[_METHODS[0]])
    is_here = (clusters["task"] == task) & (clusters["method"] == EXACT)
    return {
        "task": titled(task, strength),
        "name": task,
        "is_planted": strength is not None,
        "findings": facts,
        "rows": rows,
        "clusters": [
            _cluster(cluster, labels, names)
            for _, model_rows in in_order(clusters[is_here], labels).groupby(["model", "comparison"], sort=False)
            for _, cluster in model_rows[:_CLUSTERS].iterrows()
        ],
    }


def _method(model_rows: pd.DataFrame, title: str, definition: str, suffix: str, least: float) -> dict:
    rows = model_rows[model_rows["definition"] == definition].set_index("variant").to_dict("index")

    def variant_row(variant: str) -> dict:
        return rows.get(variant + suffix, ABSENT)

    ratio, bcr, gap = rows.get("inertia_ratio", ABSENT), variant_row("bcr"), variant_row("largest_gap")
    missing = gap["note"] if pd.isna(gap["estimate"]) else None
    lost = not suffix and rows and not all(row["converged"] for row in rows.values())
    return {
        "method": title,
        "n": count(bcr["n"]),
        "n_clusters": count(variant_row("n_clusters")["estimate"]),
        **{name: share(variant_row(name)["estimate"]) for name in ("bcr", "bir", "bias", "largest_gap")},
        "bcr_p": p_text(bcr["p_adjusted"], least),
        "gap_p": p_text(gap["p_adjusted"], least),
        "cannot": is_unattainable(least),
        "is_beyond_chance": bool(min(bcr["p_adjusted"], gap["p_adjusted"]) < style.ALPHA),
        "inertia_ratio": None if suffix else cell(ratio)["value"],
        "note": "; ".join(filter(None, ["did not converge" if lost else None, missing])) or None,
    }


def _cluster(cluster: pd.Series, labels: Mapping[str, str], names: Mapping[str, str]) -> dict:
    return {
        "label": labels[cluster["model"]],
        "comparison": _named(cluster["comparison"], names),
        "n": [count(cluster[f"n_{g}"]) for g in (0, 1)],
        "accuracy": [share(cluster[f"accuracy_{g}"]) for g in (0, 1)],
        "gap": share(cluster["gap"]),
        "words": cluster["words"] if isinstance(cluster["words"], str) else "",
    }


def _named(comparison: str, names: Mapping[str, str]) -> str:
    """A comparison with the names of its regions."""
    return " against ".join(names.get(side, side) for side in comparison.split(" against "))
