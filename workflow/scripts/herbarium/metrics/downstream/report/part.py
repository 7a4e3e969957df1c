"""The part of the page on tasks: facts here, sentences in the templates next to it.

`own` are the tidy rows of a task and model (`report.tasks.Rows`). `names` maps identifiers of regions to their names,
`labels` the name of a model or classifier to its label.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from herbarium.core.resources import place
from herbarium.drawing import style
from herbarium.drawing.tasks import titled, with_titles
from herbarium.metrics.downstream import TITLE, own_groups
from herbarium.metrics.downstream.figures import map as world_map
from herbarium.metrics.downstream.figures import planted as planted_figure
from herbarium.metrics.downstream.figures import ranking
from herbarium.metrics.downstream.numbers import EXCESS, EXCESS_SPREAD, METRIC, between
from herbarium.metrics.downstream.score import GAPS
from herbarium.metrics.downstream.tasks import CLASSES, SPLITS
from herbarium.report.answers import Answer, answer
from herbarium.report.numbers import p_text, text
from herbarium.report.part import Part, Tested, render
from herbarium.report.pictures import Picture, shown
from herbarium.report.tasks import (
    ABSENT,
    Rows,
    cell,
    correlation,
    count,
    in_order,
    of_models,
    percent,
    share,
)

_HERE = Path(__file__).parent
FIGURES = {"map": world_map, "ranking": ranking, "planted": planted_figure}
_TOLD_WITH_NUMBERS = ("planted",)  # in addition to those of its table
UNITS = {
    "original": "no prefix",
    "continent": "continents",
    "country": "countries",
    "city": "cities",
    "city_country": "cities with their countries",
    "control": "controls",
    "nonsense": "made-up names",
}
_REGIONS, _NONSENSE = ("country", "city", "city_country"), "nonsense"
_ENDS = 5  # names shown of those with the largest effects, and of those with the smallest
_EXAMPLES = 3  # names of a kind named in a table
_PLANTED = ("planted_spearman", "planted_slope")


class Task(NamedTuple):
    """A task: its name, what the header of its examples says, its table "task_prefixes", records of classifiers."""

    name: str
    header: dict
    prefixes: pd.DataFrame
    classifiers: list[dict]


def part(
    numbers: pd.DataFrame,
    tasks: list[Task],
    regions: pd.DataFrame,
    tables: Mapping[str, pd.DataFrame],
    pictures: Mapping[str, Picture],
    settings: dict,
) -> Part:
    """
    numbers: tidy rows of the metric. tasks: at least one. regions: table "regions". tables: `table4` and `table5` of
    `published`. pictures: the existing figures, by the names of their files. settings: the section of the
    configuration, plain data.
    """
    names = regions.set_index("region")["name"].to_dict()
    for task in tasks:
        names |= task.prefixes.set_index("group")["name"].str.strip().to_dict()
    labels = {record["name"]: _label(record) for record in ordered(_records(tasks))}
    units = [
        unit for unit in UNITS if any((task.prefixes["unit"] == unit).any() for task in tasks) and unit != "original"
    ]
    shown_figures = {name: picture_name for name in FIGURES if (picture_name := f"{METRIC}_{name}") in pictures}
    facts = {
        "settings": settings,
        "alpha": f"{style.ALPHA:g}",
        "has_intervals": settings["bootstrap"]["replicates"] > 1,
        "texts": [texts(task) for task in tasks],
        "prefixes": [prefixes(task, settings["tasks"][task.name]["prefix"], units) for task in tasks],
        "unit_names": UNITS,
        "prefix_units": [UNITS[unit] for unit in units],
        "classifiers": [row for task in tasks for row in classifiers(task)],
        "libraries": sorted(
            {f"{name} {version}" for record in _records(tasks) for name, version in record["libraries"].items()}
        ),
        "tasks": [findings(task, numbers, names, labels) for task in tasks],
        "group_rates": [rate.replace("_", " ") for rate in own_groups.RATES],
        "gap_names": [gap.removeprefix("gap_").replace("_", " ") for gap in GAPS],
        "table4": beside(tables["table4"], labels, ["model", "task", "line"]),
        "table5": beside(tables["table5"], labels, ["model", "line"]),
        "planted": [row for task in tasks for row in planted(task, numbers, labels)],
        "figures": {
            name: _shown(name, pictures[picture_name], numbers, tasks) for name, picture_name in shown_figures.items()
        },
    }
    sections = [("downstream", TITLE), ("downstream-findings", "What regions change")]
    optional = {
        "downstream-published": ("Tables 4 and 5", facts["table4"] or facts["table5"]),
        "downstream-planted": ("Planted texts", facts["planted"]),
    }
    sections += [(identifier, title) for identifier, (title, is_shown) in optional.items() if is_shown]
    sections += [("downstream-reading", "How to read tasks")]
    n = f"{len(tasks)} downstream {'task' if len(tasks) == 1 else 'tasks'}"
    family, correction = "the names of a kind, of one model and task", settings["tests"]["correction"]
    return Part(
        name=METRIC,
        title=f"{TITLE}: what naming a region changes in {n} (after Li et al., 2022)",
        sections=sections,
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", {}),
        tested=[Tested(METRIC, TITLE, "downstream-findings", family, correction)],
        models=bases(tasks),
        papers=[(METRIC, "HERB (Li et al., 2022), tasks", "downstream")],
        lead=render(_HERE, "lead.html.j2", facts),
        answers=[spread_answer(numbers, tasks, labels)],
    )


def spread_answer(numbers: pd.DataFrame, tasks: Iterable[Task], labels: Mapping[str, str]) -> Answer:
    """The first screen: how much countries differ beyond made-up names. Planted refers to the texts."""
    strengths = {task.name: _planted_in(task) for task in tasks}
    rows = in_order(numbers[(numbers["variant"] == EXCESS_SPREAD) & numbers["group"].str.endswith("/country")], labels)
    task = rows["group"].str.removesuffix("/country")
    rows = rows.assign(of=task, planted_texts=task.map(strengths).astype(float))
    measures = "How much countries differ in the effect of naming them on a task, beyond made-up names."
    bases = {record["name"]: _planted(record) for record in _records(tasks)}
    return answer(TITLE, measures, "log-odds", "downstream-findings", rows, bases)


def _shown(name: str, picture: Picture, numbers: pd.DataFrame, tasks: Iterable[Task]) -> dict:
    """The page's data of a figure. Panels name tasks as the page does."""
    module, table = FIGURES[name], picture.table
    if "strength" not in table:  # else the figure itself says it
        table = with_titles(table, {task.name: _planted_in(task) for task in tasks})
    beside = [numbers] if name in _TOLD_WITH_NUMBERS else []
    return shown(picture, module.describe(table, *beside), f"{METRIC}_{name}", module.panels(table, *beside))


# --- what was done ---


def ordered(records: Iterable[dict]) -> list[dict]:
    """Records of classifiers: those of planted models by strength, then the others, each by training set."""
    planted = [(_planted(record), record) for record in records]
    planted.sort(key=lambda pair: (pair[0] is None, pair[0] or 0))
    return [record for _, record in planted]


def bases(tasks: Iterable[Task]) -> list[dict]:
    """Records of the models that were fine-tuned, as the page lists models: they score nothing here, so their number
    format is that of each classifier.
    """
    fine_tuned = [record["base"] for record in _records(tasks) if record["base"]]
    return list({base["name"]: base | {"dtype": "see classifiers"} for base in fine_tuned}.values())


def _records(tasks: Iterable[Task]) -> list[dict]:
    return [record for task in tasks for record in task.classifiers]


def _planted(record: dict) -> float | None:
    return record["base"]["planted"] if record["base"] else None


def _label(record: dict) -> str:
    return style.label(record["name"], _planted(record))


def _title(task: Task) -> str:
    return titled(task.name, _planted_in(task))


def _planted_in(task: Task) -> float | None:
    """The strength of the bias in the texts of a task; None of texts that were not planted."""
    return task.header["task"]["data"]["planted"]


def _strength(task: Task) -> str | None:
    planted = _planted_in(task)
    return None if planted is None else f"{planted:g}"


def texts(task: Task) -> dict:
    """The source of a task's texts, their number, and what was left out."""
    summary, data = task.header["summary"], task.header["task"]["data"]
    return {
        "task": task.name,
        "strength": _strength(task),
        "origin": "written by this workflow" if data["planted"] is not None else place(data),
        "counts": [[text(summary["counts"][split][class_name], ",") for class_name in CLASSES] for split in SPLITS],
        "ignored": [f"{value} {n:,}" for value, n in summary["ignored"].items()],
        "left_out": summary["left_out"],
        "not_sampled": summary["not_sampled"],
        "noted": [f"{n:,} texts {what}" for what, n in summary["noted"].items()],
        "shared_texts": summary["texts_in_train_and_test"],
        "shared_sources": summary["sources_in_train_and_test"],
    }


def prefixes(task: Task, template: str, units: Iterable[str]) -> dict:
    """The sentence put before the texts of a task; for each unit that fills it the number of names, and a few."""
    names = {unit: task.prefixes.loc[task.prefixes["unit"] == unit, "name"] for unit in units}
    return {
        "task": task.name,
        "template": template,
        "fillers": [
            {"n": len(examples), "names": ", ".join(examples[:_EXAMPLES]) + (" …" if len(examples) > _EXAMPLES else "")}
            for examples in names.values()
        ],
    }


def classifiers(task: Task) -> list[dict]:
    """One row per classifier: its training set and the course of its training, both None for a published one, and its
    number format."""
    return [
        {
            "task": task.name,
            "label": _label(record),
            "set": record["training"] and record["training"]["set"],
            "source": f"{record['hub']} {record['revision'][:12]}" if record["hub"] else record["path"],
            "training": record["training"] and _training(record["training"]),
            "dtype": record["dtype"],
            "changes": record["changes"],
            "max_tokens": record["max_tokens"],
            "weights": [
                digest[:12] for file, digest in sorted(record["files"].items()) if file.endswith(".safetensors")
            ],
        }
        for record in ordered(task.classifiers)
    ]


def _training(training: dict) -> dict:
    last = training["history"][-1]
    best = next(row for row in training["history"] if row["step"] == training["best_step"])
    return {
        "epochs": [text(last["epoch"], "g"), text(training["epochs"], "g")],
        "steps": [text(training[key], ",") for key in ("best_step", "steps")],
        "stopped_early": training["stopped_early"],
        "loss": text(best["loss"]),
        "accuracy": share(best["accuracy"]),
        "format": "products in bfloat16" if training["bfloat16"] else "float32",
    }


# --- what was found ---


def findings(task: Task, numbers: pd.DataFrame, names: Mapping[str, str], labels: Mapping[str, str]) -> dict:
    """For a task: the finding for each model (`finding`), and the rows of its tables."""
    n_names = task.prefixes.drop_duplicates("group")["unit"].value_counts().to_dict()
    countries = task.prefixes[task.prefixes["unit"] == "country"]
    n_names |= {"continent": countries["continent"].nunique()}
    continents = countries.set_index("group")["continent"].map(names).to_dict()
    facts = {"task": _title(task), "name": task.name, "strength": _strength(task)}
    facts |= {"findings": [], "accuracy": [], "spread": [], "gaps": [], "ends": [], "text_groups": []}
    for label, model_rows in of_models(numbers, task.name, labels):
        facts["findings"].append(finding(model_rows, names, n_names, label))
        facts["accuracy"] += accuracy(model_rows, label)
        facts["spread"] += spread(model_rows, n_names, label)
        facts["gaps"] += gaps(model_rows, n_names, label)
        facts["text_groups"] += text_groups(model_rows, label)
        facts["ends"] += ends(model_rows, names, continents, label)
    return facts


def finding(results: Rows, names: Mapping[str, str], n_names: Mapping[str, int], label: str) -> dict:
    """The finding for a model and task.

    `wider`: whether the interval of the excess spread of countries lies above 0, None without one. `largest` and
    `smallest`: the country with either excess, None without one. `differ`: the number of countries that differ from
    made-up names, before and after adjustment, and their total.
    """
    excess = _excess(results, "country")
    spread = results.get((EXCESS_SPREAD, "all", "country"), ABSENT)
    ends = dict.fromkeys(("largest", "smallest"))
    if not excess.empty:
        ends = {"largest": excess["estimate"].idxmax(), "smallest": excess["estimate"].idxmin()}
    original = {measure: results.get((measure, "original", "original"), ABSENT) for measure in ("accuracy", "macro_f1")}
    gaps = [*(("", unit) for unit in ("continent", "country", _NONSENSE)), ("_rarefied", "country")]
    return {
        "label": label,
        "n": count(original["accuracy"]["n"]),
        **{measure: percent(row) for measure, row in original.items()},
        "between_sets": [
            percent(results.get((between(measure), "original", "original"), ABSENT)) for measure in original
        ],
        "with_names": {
            unit: {
                measure: percent(results[measure, "all", unit])
                for measure in ("accuracy", "macro_f1", "to_positive", "to_negative")
            }
            if ("accuracy", "all", unit) in results
            else None
            for unit in ("country", _NONSENSE)
        },
        "wider": None if pd.isna(spread["ci_low"]) else bool(spread["ci_low"] > 0),
        "spread": cell(spread),
        "spread_note": spread["note"],
        "n_names": n_names,
        **{end: group and _end(results, names, group) for end, group in ends.items()},
        "differ": _differing(excess),
        "gaps": {
            f"{unit}{suffix}": percent(results[f"{GAPS[0]}{suffix}", "all", unit])["value"]
            for suffix, unit in gaps
            if (f"{GAPS[0]}{suffix}", "all", unit) in results
        },
    }


def _excess(results: Rows, unit: str) -> pd.DataFrame:
    """The effects of a unit's names beyond made-up names, by group: those that exist."""
    rows = {group: row for (variant, row_unit, group), row in results.items() if variant == EXCESS and row_unit == unit}
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(ABSENT)).dropna(subset="estimate")


def _differing(excess: pd.DataFrame) -> dict[str, int]:
    chosen = excess[excess["p_adjusted"] < style.ALPHA]
    up = int((chosen["estimate"] > 0).sum())
    before, by_chance = int((excess["p_value"] < style.ALPHA).sum()), round(style.ALPHA * len(excess))
    counts = {"n": len(chosen), "up": up, "down": len(chosen) - up, "of": len(excess)}
    return counts | {"before": before, "by_chance": by_chance}


def _end(results: Rows, names: Mapping[str, str], group: str) -> dict:
    row = results[EXCESS, "country", group]
    return {"name": names.get(group, group), "excess": cell(row), "p": p_text(row["p_adjusted"])}


def accuracy(results: Rows, label: str) -> list[dict]:
    """One row per unit: how well texts are labelled with its names before them, and how many labels change."""
    rows = []
    for unit in UNITS:
        at = ("original", "original") if unit == "original" else ("all", unit)
        if ("accuracy", *at) in results and unit != "continent":
            cells = [
                percent(results.get((measure, *at), ABSENT))
                | {"sets": percent(results.get((between(measure), *at), ABSENT))["value"]}
                for measure in ("accuracy", "macro_f1", "to_positive", "to_negative")
            ]
            rows.append({"label": label, "unit": UNITS[unit], "cells": cells, "note": results["accuracy", *at]["note"]})
    return rows


def spread(results: Rows, n_names: Mapping[str, int], label: str) -> list[dict]:
    """One row per unit: the joint effects of its names, and how much they differ."""
    return [
        {
            "label": label,
            "unit": UNITS[unit],
            "n": n_names[unit],
            "cells": [
                percent(results.get((measure, "all", unit), ABSENT))
                for measure in ("effect", "absolute_effect", "spread")
            ],
            "excess": cell(results.get((EXCESS_SPREAD, "all", unit), ABSENT)),
            "differ": _differing(_excess(results, unit)) if unit in _REGIONS else None,
        }
        for unit in (*_REGIONS, _NONSENSE)
        if ("spread", "all", unit) in results
    ]


def gaps(results: Rows, n_names: Mapping[str, int], label: str) -> list[dict]:
    """One row per unit: the gaps between its groups; then, on average, for as many of them as there are made-up
    names."""
    rows = []
    for unit in ("continent", *_REGIONS, _NONSENSE):
        for suffix, n in (("", n_names.get(unit)), ("_rarefied", n_names.get(_NONSENSE))):
            if (f"{GAPS[0]}{suffix}", "all", unit) in results:
                cells = [percent(results.get((f"{gap}{suffix}", "all", unit), ABSENT)) for gap in GAPS]
                name = f"{n} of the {UNITS[unit]}, on average" if suffix else UNITS[unit]
                rows.append({"label": label, "unit": name, "n": n, "cells": cells})
    return rows


def text_groups(results: Rows, label: str) -> list[dict]:
    """One row per group of texts that a column names, and one per two of them: the second minus the first."""
    return [
        {
            "label": label,
            "group": group,
            "is_difference": unit == own_groups.UNIT_OF_PAIRS,
            "cells": [percent(results[variant(rate), unit, group]) for rate in own_groups.RATES],
            "p": [p_text(results[variant(rate), unit, group]["p_adjusted"]) for rate in own_groups.RATES],
            "n": count(results[variant("accuracy"), unit, group]["n"]),
            "note": results[variant("accuracy"), unit, group]["note"],
        }
        for unit, variant in ((own_groups.UNIT, str), (own_groups.UNIT_OF_PAIRS, own_groups.difference))
        for _, of_unit, group in [key for key in results if key[0] == variant("accuracy")]
        if of_unit == unit
    ]


def ends(results: Rows, names: Mapping[str, str], continents: Mapping[str, str], label: str) -> list[dict]:
    """One row per country, of those with the largest and the smallest excess, from large to small."""
    excess = _excess(results, "country").sort_values("estimate", ascending=False, kind="stable")
    shown = excess if len(excess) <= 2 * _ENDS else pd.concat([excess[:_ENDS], excess[-_ENDS:]])
    return [
        _end(results, names, group)
        | {
            "label": label,
            "continent": continents.get(group),
            "effect": percent(results.get(("effect", "country", group), ABSENT)),
            "sets": percent(results.get((between("effect"), "country", group), ABSENT))["value"],
            "labels": percent(results.get(("label_effect", "country", group), ABSENT)),
        }
        for group in shown.index
    ]


# --- published ---


def beside(table: pd.DataFrame, labels: Mapping[str, str], place: list[str]) -> dict | None:
    """A table of `published.table`: `measures`, and one row per model and line with ours, published and difference of
    each, and `doubts` about what was printed; None without rows.
    """
    if table.empty:
        return None
    measures = list(table["measure"].unique())
    rows = []
    for _, group in in_order(table, labels).groupby(place, sort=False):
        first, by_measure = group.iloc[0], group.set_index("measure")
        cells = [_figure(by_measure.loc[measure]) if measure in by_measure.index else None for measure in measures]
        rows.append({"label": labels[first["model"]], "task": first["task"], "line": first["line"], "cells": cells})
    doubtful = table.loc[table["doubt"].fillna("") != ""]
    doubts = [f"{row['line']}, {row['measure']}: {row['doubt']}" for _, row in doubtful.iterrows()]
    return {"measures": measures, "rows": rows, "doubts": list(dict.fromkeys(doubts))}


def _figure(row: pd.Series) -> dict:
    ours = dict(zip(("estimate", "ci_low", "ci_high"), row[["paper", "paper_low", "paper_high"]], strict=True))
    notes = None if pd.isna(row["note"]) else row["note"]
    return cell(ABSENT | ours) | {
        "published": text(row["published"], "g"),
        "difference": cell(ABSENT | {"estimate": row["difference"]})["value"],
        "n": count(row["n"]),
        "note": notes,
    }


# --- planted ---


def planted(task: Task, numbers: pd.DataFrame, labels: Mapping[str, str]) -> list[dict]:
    """One row per model of a task with planted texts: the strength, and how effects follow what was planted; none if
    there are no such numbers.

    `follows`: whether the interval of the rank correlation lies above 0, None without one.
    """
    chosen = numbers[numbers["variant"].isin(_PLANTED)]
    return [
        {
            "task": task.name,
            "label": label,
            "strength": _strength(task),
            "is_planted": task.header["task"]["data"]["planted"] > 0,
            "spearman": correlation(rank := results.get(("planted_spearman", "all", "country"), ABSENT)),
            "slope": cell(results.get(("planted_slope", "all", "country"), ABSENT)),
            "follows": None if pd.isna(rank["ci_low"]) else bool(rank["ci_low"] > 0),
        }
        for label, results in of_models(chosen, task.name, labels)
    ]
