"""The part of the report on downstream tasks: facts here, sentences in `downstream.html.j2`.

`own` are the tidy rows of a metric, task and model by (variant, unit, group), the group without its task. `names` maps
identifiers of regions to their names, `labels` the name of a model or classifier to its label.
"""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.downstream.figures import map as downstream_map
from herbarium.metrics.downstream.figures import planted as downstream_planted
from herbarium.metrics.downstream.figures import ranking as downstream_ranking
from herbarium.metrics.downstream.numbers import METRIC, between
from herbarium.metrics.downstream.score import GAPS
from herbarium.metrics.downstream.tasks import CLASSES, SPLITS, place
from herbarium.metrics.local_group_bias.numbers import K_MEANS
from herbarium.metrics.local_group_bias.score import EXACT, GAP, LEAST, PUBLISHED
from herbarium.metrics.mixed_effects.report import part as mixed_effects
from herbarium.metrics.mixed_effects.report.part import p_text
from herbarium.metrics.propagation import score as propagation
from herbarium.metrics.propagation.figures import scatter
from herbarium.page.build import Part
from herbarium.report.numbers import number
from herbarium.report.pictures import Picture, shown
from herbarium.statistics.grouped import EACH, OTHERS, TASK

FIGURES = {
    "map": downstream_map,
    "ranking": downstream_ranking,
    "propagation": scatter,
    "planted": downstream_planted,
}
# The metric whose numbers a figure tells besides those of its table.
_TOLD_WITH = {"propagation": propagation.METRIC, "planted": METRIC}
ALPHA = 0.05
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
_PER_CENT = 100.0
_DECIMALS = 9  # of a probability: what is less is rounding
_ENDS = 5  # names shown of those with the largest effects, and of those with the smallest
_CLUSTERS = 3  # clusters shown of a comparison
_STRONGEST = 3  # correlations named in a sentence
_FEWEST_MODELS = 3  # of which there is a correlation
_LEAVES = "C_w, leaves"
_EXAMPLES = 3  # names of a kind named in a table
# Correlations over countries: outcome, and what is held fixed.
CORRELATIONS = {
    "spearman_effect": "effect",
    "partial_spearman_effect": "effect, given the length of the name",
    "spearman_absolute_effect": "size of the effect",
    "partial_spearman_absolute_effect": "size of the effect, given the length of the name",
}
_METHODS = (
    (f"LOGAN, {EXACT}", "paper", ""),
    ("K-Means beside it", "paper", f"_{K_MEANS}"),
    (f"LOGAN, {PUBLISHED}", "released", ""),
    ("K-Means beside it", "released", f"_{K_MEANS}"),
)
_PLANTED = ("planted_spearman", "planted_slope")
_ABSENT = {
    **dict.fromkeys(("estimate", "std_error", "ci_low", "ci_high", "p_value", "p_adjusted", "n"), math.nan),
    "note": None,
}

Rows = Mapping[tuple[str, str, str], Mapping]


class Task(NamedTuple):
    """A task: its name, what the header of its examples says, its table "task_prefixes", records of classifiers."""

    name: str
    header: dict
    prefixes: pd.DataFrame
    classifiers: list[dict]


def part(
    summary: pd.DataFrame,
    fits: pd.DataFrame,
    tasks: list[Task],
    regions: pd.DataFrame,
    tables: Mapping[str, pd.DataFrame],
    pictures: Mapping[str, Picture],
    study: dict,
) -> Part:
    """The part of the page, with all that its template says.

    summary: tidy table. fits: of the schema "mixed_effects_adjusted"; without rows where no mixed model was fitted.
    tasks: at least one. regions: table "regions". tables: `table4` and `table5` of `metrics.downstream_published`, and
    `local_groups`. pictures: the figures by the name of their module, without "downstream_"; those that there are.
    study: the effective configuration.
    """
    settings = study["downstream"]
    names = regions.set_index("region")["name"].to_dict()
    for task in tasks:
        names |= task.prefixes.set_index("group")["name"].str.strip().to_dict()
    labels = {record["name"]: _label(record) for record in ordered(_records(tasks))}
    units = [
        unit for unit in UNITS if any((task.prefixes["unit"] == unit).any() for task in tasks) and unit != "original"
    ]
    facts = {
        "settings": settings,
        "alpha": f"{ALPHA:g}",
        "has_intervals": settings["bootstrap"]["replicates"] > 1,
        "texts": [texts(task) for task in tasks],
        "prefixes": [prefixes(task, settings["tasks"][task.name]["prefix"], units) for task in tasks],
        "unit_names": UNITS,
        "prefix_units": [UNITS[unit] for unit in units],
        "classifiers": [row for task in tasks for row in classifiers(task)],
        "libraries": sorted({f"{name} {of}" for record in _records(tasks) for name, of in record["libraries"].items()}),
        "tasks": [findings(task, summary, names, labels) for task in tasks],
        "gap_names": [gap.removeprefix("gap_").replace("_", " ") for gap in GAPS],
        "continents": [of for task in tasks if (of := continents(fits, task.name, labels))["rows"]],
        "countries": [of for task in tasks if (of := over_countries(summary, task.name, labels))["rows"]],
        "correlations": CORRELATIONS,
        "leaves": _LEAVES,
        "models": over_models(summary, [task.name for task in tasks]),
        "local": [of for task in tasks if (of := local(summary, tables["local_groups"], task, names, labels))["rows"]],
        "least": LEAST,
        "gap": f"{_PER_CENT * GAP:g}",
        "table4": beside(tables["table4"], labels, ["model", "task", "line"]),
        "table5": beside(tables["table5"], labels, ["model", "line"]),
        "planted": [row for task in tasks for row in planted(task, summary, labels)],
        "figures": {
            name: shown(pictures[name], _described(name, pictures[name], summary), f"downstream_{name}")
            for name in FIGURES
            if name in pictures
        },
    }
    sections = [("downstream", "Downstream tasks"), ("downstream-findings", "What regions change")]
    optional = {
        "downstream-continents": ("Continents, by mixed models", facts["continents"]),
        "downstream-intrinsic": ("Intrinsic and extrinsic", facts["countries"] or facts["models"]),
        "downstream-local": ("Local group bias", facts["local"]),
        "downstream-published": ("Tables 4 and 5", facts["table4"] or facts["table5"]),
        "downstream-planted": ("Planted texts", facts["planted"]),
    }
    sections += [(identifier, title) for identifier, (title, there) in optional.items() if there]
    sections += [("downstream-reading", "How to read tasks")]
    n = f"{len(tasks)} downstream {'task' if len(tasks) == 1 else 'tasks'}"
    return Part(f"What naming a region changes in {n} (after Li et al., 2022)", sections, "downstream.html.j2", facts)


def _described(name: str, picture: Picture, summary: pd.DataFrame) -> str:
    """A figure in words; some of them have numbers besides those of their table."""
    numbers = [summary[summary["metric"] == _TOLD_WITH[name]]] if name in _TOLD_WITH else []
    return FIGURES[name].describe(picture.table, *numbers)


# --- what was done ---


def ordered(records: Iterable[dict]) -> list[dict]:
    """Records of classifiers: those of planted models by strength, then the others, each by seed."""
    planted = [(_planted(record), record) for record in records]
    planted.sort(key=lambda of: (of[0] is None, of[0] or 0))
    return [record for _, record in planted]


def bases(tasks: Iterable[Task]) -> dict[str, dict]:
    """Records of the models that were fine-tuned, by name, as the page lists models: they score nothing here, so their
    number format is that of each classifier.
    """
    fine_tuned = [record["base"] for record in _records(tasks) if record["base"]]
    return {base["name"]: base | {"dtype": "see classifiers"} for base in fine_tuned}


def _records(tasks: Iterable[Task]) -> list[dict]:
    return [record for task in tasks for record in task.classifiers]


def _planted(record: dict) -> float | None:
    return record["base"]["planted"] if record["base"] else None


def _label(record: dict) -> str:
    return style.label(record["name"], _planted(record))


def _strength(task: Task) -> str | None:
    """What was planted in the texts of a task; None of texts that were not."""
    planted = task.header["task"]["data"]["planted"]
    return None if planted is None else f"{planted:g}"


def texts(task: Task) -> dict:
    """Where the texts of a task come from, how many there are, and what was left out."""
    said, data = task.header["summary"], task.header["task"]["data"]
    return {
        "task": task.name,
        "strength": _strength(task),
        "origin": "written by this workflow" if data["planted"] is not None else place(data),
        "counts": [[f"{said['counts'][split][of]:,}" for of in CLASSES] for split in SPLITS],
        "ignored": [f"{value} {n:,}" for value, n in said["ignored"].items()],
        "left_out": said["left_out"],
        "not_sampled": said["not_sampled"],
        "shared_texts": said["texts_in_train_and_test"],
        "shared_sources": said["sources_in_train_and_test"],
    }


def prefixes(task: Task, template: str, units: Iterable[str]) -> dict:
    """The sentence that is put before the texts of a task; of each unit that fills it how many, and a few."""
    names = {unit: task.prefixes.loc[task.prefixes["unit"] == unit, "name"] for unit in units}
    return {
        "task": task.name,
        "template": template,
        "fillers": [
            {"n": len(of), "names": ", ".join(of[:_EXAMPLES]) + (" …" if len(of) > _EXAMPLES else "")}
            for of in names.values()
        ],
    }


def classifiers(task: Task) -> list[dict]:
    """A row a classifier: its seed and how its training went, both None of a published one, and its number format."""
    return [
        {
            "task": task.name,
            "label": _label(record),
            "seed": record["training"] and record["training"]["seed"],
            "source": f"{record['hub']} {record['revision'][:12]}" if record["hub"] else record["path"],
            "training": record["training"] and _training(record["training"]),
            "dtype": record["dtype"],
            "changes": record["changes"],
            "max_tokens": record["max_tokens"],
            "weights": [digest[:12] for _, digest in sorted(record["files"].items())],
        }
        for record in ordered(task.classifiers)
    ]


def _training(training: dict) -> dict:
    last = training["history"][-1]
    best = next(row for row in training["history"] if row["step"] == training["best_step"])
    return {
        "epochs": f"{last['epoch']:g} of {training['epochs']}",
        "steps": f"{training['best_step']:,} of {training['steps']:,}",
        "stopped_early": training["stopped_early"],
        "loss": f"{best['loss']:.3g}",
        "accuracy": f"{_PER_CENT * best['accuracy']:.3g}",
        "format": "products in bfloat16" if training["bfloat16"] else "float32",
    }


# --- what was found ---


def findings(task: Task, summary: pd.DataFrame, names: Mapping[str, str], labels: Mapping[str, str]) -> dict:
    """Of a task: what each model does (`finding`), and the rows of its tables."""
    n_names = task.prefixes.drop_duplicates("group")["unit"].value_counts().to_dict()
    countries = task.prefixes[task.prefixes["unit"] == "country"]
    n_names |= {"continent": countries["continent"].nunique()}
    continents = countries.set_index("group")["continent"].map(names).to_dict()
    found = {"task": task.name, "strength": _strength(task)}
    found |= {"findings": [], "accuracy": [], "spread": [], "gaps": [], "ends": []}
    for label, own in _of_models(summary, METRIC, task.name, labels):
        found["findings"].append(finding(own, names, n_names, label))
        found["accuracy"] += accuracy(own, label)
        found["spread"] += spread(own, n_names, label)
        found["gaps"] += gaps(own, n_names, label)
        found["ends"] += ends(own, names, continents, label)
    return found


def finding(own: Rows, names: Mapping[str, str], n_names: Mapping[str, int], label: str) -> dict:
    """What is said of a model and task.

    `wider`: what `is_wider` says of countries. `largest` and `smallest`: the country with either effect, None without
    one. `differ`, by unit: how many names have an effect that differs from 0 after adjustment, and of how many.
    """
    effects = _effects(own, "country")
    ratio = own.get(("spread_ratio", "all", "country"), _ABSENT)
    ends = dict.fromkeys(("largest", "smallest"))
    if not effects.empty:
        ends = {"largest": effects["estimate"].idxmax(), "smallest": effects["estimate"].idxmin()}
    original = {of: own.get((of, "original", "original"), _ABSENT) for of in ("accuracy", "macro_f1")}
    return {
        "label": label,
        "n": _count(original["accuracy"]["n"]),
        **{of: _percent(row) for of, row in original.items()},
        "between_seeds": [_percent(own.get((between(of), "original", "original"), _ABSENT)) for of in original],
        "with_names": {
            unit: {of: _percent(own[of, "all", unit]) for of in ("accuracy", "macro_f1", "to_positive", "to_negative")}
            if ("accuracy", "all", unit) in own
            else None
            for unit in ("country", _NONSENSE)
        },
        "wider": is_wider(ratio),
        "ratio": _cell(ratio),
        "ratio_p": p_text(ratio["p_adjusted"]),
        "ratio_note": ratio["note"],
        "n_names": n_names,
        "mean": _percent(own.get(("effect", "all", "country"), _ABSENT)),
        **{end: group and _end(own, names, group) for end, group in ends.items()},
        "differ": {unit: _differing(_effects(own, unit)) for unit in ("country", _NONSENSE)},
        "gaps": {
            unit: _percent(own[GAPS[0], "all", unit])
            for unit in ("continent", "country", _NONSENSE)
            if (GAPS[0], "all", unit) in own
        },
    }


def is_wider(ratio: Mapping) -> bool | None:
    """Whether regions differ more than made-up names do: the interval of the ratio lies above 1, and the permutation
    test agrees; None where one of both is missing. ratio: row of `spread_ratio`.
    """
    if any(pd.isna(ratio[of]) for of in ("estimate", "ci_low", "p_adjusted")):
        return None
    return bool(ratio["ci_low"] > 1 and ratio["p_adjusted"] < ALPHA)


def _effects(own: Rows, unit: str) -> pd.DataFrame:
    """The effects of a unit's names, by group: those that there are."""
    rows = {group: row for (variant, of, group), row in own.items() if variant == "effect" and of == unit}
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(_ABSENT)).dropna(subset="estimate")


def _differing(effects: pd.DataFrame) -> dict[str, int]:
    chosen = effects[effects["p_adjusted"] < ALPHA]
    up = int((chosen["estimate"] > 0).sum())
    return {"n": len(chosen), "up": up, "down": len(chosen) - up, "of": len(effects)}


def _end(own: Rows, names: Mapping[str, str], group: str) -> dict:
    row = own["effect", "country", group]
    return {"name": names.get(group, group), "effect": _percent(row), "p": p_text(row["p_adjusted"])}


def accuracy(own: Rows, label: str) -> list[dict]:
    """A row a unit: how well texts are labelled with its names before them, and how many labels change."""
    rows = []
    for unit in UNITS:
        at = ("original", "original") if unit == "original" else ("all", unit)
        if ("accuracy", *at) in own and unit != "continent":
            cells = [
                _percent(own.get((of, *at), _ABSENT))
                | {"seeds": _percent(own.get((between(of), *at), _ABSENT))["value"]}
                for of in ("accuracy", "macro_f1", "to_positive", "to_negative")
            ]
            rows.append({"label": label, "unit": UNITS[unit], "cells": cells, "note": own["accuracy", *at]["note"]})
    return rows


def spread(own: Rows, n_names: Mapping[str, int], label: str) -> list[dict]:
    """A row a unit: the effects of its names together, and how far they are from each other."""
    rows = []
    for unit in (*_REGIONS, _NONSENSE):
        if ("spread", "all", unit) in own:
            ratio = own.get(("spread_ratio", "all", unit), _ABSENT)
            cells = [_percent(own.get((of, "all", unit), _ABSENT)) for of in ("effect", "absolute_effect", "spread")]
            row = {"label": label, "unit": UNITS[unit], "n": n_names[unit], "cells": cells, "ratio": _cell(ratio)}
            rows.append(row | {"p": p_text(ratio["p_adjusted"]), "differ": _differing(_effects(own, unit))})
    return rows


def gaps(own: Rows, n_names: Mapping[str, int], label: str) -> list[dict]:
    """A row a unit: how far apart its groups are."""
    return [
        {
            "label": label,
            "unit": UNITS[unit],
            "n": n_names[unit],
            "cells": [_percent(own.get((gap, "all", unit), _ABSENT)) for gap in GAPS],
        }
        for unit in ("continent", *_REGIONS, _NONSENSE)
        if (GAPS[0], "all", unit) in own
    ]


def ends(own: Rows, names: Mapping[str, str], continents: Mapping[str, str], label: str) -> list[dict]:
    """A row a country, of those with the largest and the smallest effects, from large to small."""
    effects = _effects(own, "country").sort_values("estimate", ascending=False, kind="stable")
    shown = effects if len(effects) <= 2 * _ENDS else pd.concat([effects[:_ENDS], effects[-_ENDS:]])
    rows = []
    for group in shown.index:
        labels_change = own.get(("label_effect", "country", group), _ABSENT)
        seeds = own.get((between("effect"), "country", group), _ABSENT)
        rows.append(
            _end(own, names, group)
            | {
                "label": label,
                "continent": continents.get(group),
                "seeds": _percent(seeds)["value"],
                "labels": _percent(labels_change),
                "labels_p": p_text(labels_change["p_adjusted"]),
            }
        )
    return rows


# --- continents ---


def continents(fits: pd.DataFrame, task: str, labels: Mapping[str, str]) -> dict:
    """Of a task: a row a fit of the mixed model of continents; and what is found in each model.

    `r2`: the cell of all continents at once, None without such a fit. `differ`: the continents whose difference from
    the others is significant after adjustment, of `n`. `said`: what the fits say of themselves, in lme4's words.
    """
    rows, found = [], []
    for model, own in _by_label(fits[fits["probe"] == TASK + task], labels):
        of_model = []
        for _, fit in own.iterrows():
            place = "all at once" if fit["contrast"] == EACH else f"{fit['contrast'].removesuffix(f'-{OTHERS}')}"
            note = fit["note"] if pd.notna(fit["note"]) else None
            is_significant = bool(fit["p_adjusted"] < ALPHA)
            known = {"place": place, "is_each": fit["contrast"] == EACH, "is_significant": is_significant, "said": note}
            of_model.append(mixed_effects.row(fit, labels) | known)
        against = [row for row in of_model if not row["is_each"]]
        found.append(
            {
                "label": model,
                "r2": next((row["r2"] for row in of_model if row["is_each"]), None),
                "n": len(against),
                "differ": [row for row in against if row["is_significant"]],
                "troubled": sum(row["trouble"] is not None for row in of_model),
                "of": len(of_model),
            }
        )
        rows += of_model
    return {"task": task, "rows": rows, "findings": found}


# --- intrinsic and extrinsic ---


def over_countries(summary: pd.DataFrame, task: str, labels: Mapping[str, str]) -> dict:
    """Of a task: a row a model and intrinsic measure with its correlations over countries, a row a model with that of
    distances (Mantel), and of each model how many are significant after adjustment and the strongest of these.
    """
    rows, distances, found = [], [], []
    for label, own in _of_models(summary[summary["unit"] == "country"], propagation.METRIC, task, labels):
        tested = [(key, row) for key, row in own.items() if pd.notna(row["p_adjusted"])]
        significant = [of for of in tested if of[1]["p_adjusted"] < ALPHA]
        significant.sort(key=lambda of: -abs(of[1]["estimate"]))
        found.append(
            {
                "label": label,
                "n": len(tested),
                "n_significant": len(significant),
                "strongest": [
                    _correlation(row) | {"measure": _measure(measure), "with": CORRELATIONS.get(variant)}
                    for (variant, _, measure), row in significant[:_STRONGEST]
                ],
            }
        )
        for measure in dict.fromkeys(group for variant, _, group in own if variant in CORRELATIONS):
            cells = [_correlation(own.get((variant, "country", measure), _ABSENT)) for variant in CORRELATIONS]
            rows.append({"label": label, "measure": _measure(measure), "cells": cells})
        distances += [{"label": label} | _correlation(row) for (variant, *_), row in own.items() if variant == "mantel"]
    return {"task": task, "rows": rows, "distances": distances, "findings": found}


def over_models(summary: pd.DataFrame, tasks: Iterable[str]) -> dict | None:
    """A row a task and intrinsic score with its correlations over models, and how many scores too few models have for
    one (`n_too_few`); None without any.
    """
    of_all = summary[summary["unit"] == "model"]
    rows, n_too_few = [], 0
    for task in tasks:
        for _, own in _of_models(of_all, propagation.METRIC, task, {propagation.ALL_MODELS: propagation.ALL_MODELS}):
            for score in dict.fromkeys(group for *_, group in own):
                found = [own.get((f"spearman_{of}", "model", score), _ABSENT) for of in propagation.OUTCOMES]
                if max(row["n"] for row in found) < _FEWEST_MODELS:
                    n_too_few += 1
                else:
                    rows.append({"task": task, "score": score, "cells": [_correlation(row) for row in found]})
    return {"rows": rows, "n_too_few": n_too_few} if rows or n_too_few else None


def _correlation(row: Mapping) -> dict:
    """A correlation with three decimals: those near 0 need no more."""
    bounds = {"value": row["estimate"], "low": row["ci_low"], "high": row["ci_high"]}
    shown = {of: None if pd.isna(value) else f"{value:.3f}".replace("-", "−") for of, value in bounds.items()}
    return shown | {"n": _count(row["n"]), "p": p_text(row["p_adjusted"]), "note": row["note"]}


def _measure(measure: str) -> str:
    """An intrinsic measure in words."""
    known = {propagation.LEAVES: _LEAVES, "v": "distances of descriptive vectors"}
    return known.get(measure, measure)


# --- local groups ---


def local(
    summary: pd.DataFrame, clusters: pd.DataFrame, task: Task, names: Mapping[str, str], labels: Mapping[str, str]
) -> dict:
    """Of a task: what is found in each model and comparison, four rows a comparison (`_METHODS`), and the clusters of
    `exact` with the largest gaps.

    clusters: of the schema "local_groups". `is_planted`: whether the words of clusters are the workflow's own.
    """
    chosen = summary[(summary["metric"] == "local_group_bias") & summary["group"].str.startswith(f"{task.name}/")]
    rows, found = [], []
    chosen = chosen.assign(note=_notes(chosen))
    for (model, group), own in _in_order(chosen, labels).groupby(["model", "group"], sort=False):
        comparison = _named(group.removeprefix(f"{task.name}/"), names)
        here = {"label": labels[model], "comparison": comparison}
        by_method = {of: _method(own, *of) for of in _METHODS}
        rows += [here | row for row in by_method.values()]
        found.append(here | by_method[_METHODS[0]])
    is_here = (clusters["task"] == task.name) & (clusters["method"] == EXACT)
    return {
        "task": task.name,
        "is_planted": task.header["task"]["data"]["planted"] is not None,
        "findings": found,
        "rows": rows,
        "clusters": [
            _cluster(cluster, labels, names)
            for _, own in _in_order(clusters[is_here], labels).groupby(["model", "comparison"], sort=False)
            for _, cluster in own[:_CLUSTERS].iterrows()
        ],
    }


def _method(own: pd.DataFrame, title: str, definition: str, suffix: str) -> dict:
    rows = own[own["definition"] == definition].set_index("variant").to_dict("index")

    def of(variant: str) -> dict:
        return rows.get(variant + suffix, _ABSENT)

    ratio, bcr, gap = rows.get("inertia_ratio", _ABSENT), of("bcr"), of("largest_gap")
    lost = not suffix and rows and not all(row["converged"] for row in rows.values())
    return {
        "method": title,
        "n": _count(bcr["n"]),
        "n_clusters": _count(of("n_clusters")["estimate"]),
        **{name: _share(of(name)["estimate"]) for name in ("bcr", "bir", "bias", "largest_gap")},
        "bcr_p": p_text(bcr["p_value"]),
        "gap_p": p_text(gap["p_value"]),
        "is_beyond_chance": bool(min(bcr["p_value"], gap["p_value"]) < ALPHA),
        "inertia_ratio": None if suffix else _cell(ratio)["value"],
        "note": "; ".join(filter(None, ["did not converge" if lost else None, gap["note"]])) or None,
    }


def _cluster(cluster: pd.Series, labels: Mapping[str, str], names: Mapping[str, str]) -> dict:
    return {
        "label": labels[cluster["model"]],
        "comparison": _named(cluster["comparison"], names),
        "n": [f"{cluster[f'n_{g}']:,}" for g in (0, 1)],
        "accuracy": [_share(cluster[f"accuracy_{g}"]) for g in (0, 1)],
        "gap": _share(cluster["gap"]),
        "words": cluster["words"] if isinstance(cluster["words"], str) else "",
    }


def _named(comparison: str, names: Mapping[str, str]) -> str:
    """A comparison with the names of its regions."""
    return " against ".join(names.get(side, side) for side in comparison.split(" against "))


# --- published ---


def beside(table: pd.DataFrame, labels: Mapping[str, str], place: list[str]) -> dict | None:
    """A table of `downstream_published`: `measures`, and a row a model and line with ours, published and difference of
    each, and `doubts` about what was printed; None without rows.
    """
    if table.empty:
        return None
    measures = list(table["measure"].unique())
    rows = []
    for _, own in _in_order(table, labels).groupby(place, sort=False):
        first, by_measure = own.iloc[0], own.set_index("measure")
        cells = [_figure(by_measure.loc[of]) if of in by_measure.index else None for of in measures]
        rows.append({"label": labels[first["model"]], "task": first["task"], "line": first["line"], "cells": cells})
    said = table.loc[table["doubt"].fillna("") != ""]
    doubts = [f"{row['line']}, {row['measure']}: {row['doubt']}" for _, row in said.iterrows()]
    return {"measures": measures, "rows": rows, "doubts": list(dict.fromkeys(doubts))}


def _figure(row: pd.Series) -> dict:
    ours = dict(zip(("estimate", "ci_low", "ci_high"), row[["paper", "paper_low", "paper_high"]], strict=True))
    notes = None if pd.isna(row["note"]) else row["note"]
    return _cell(_ABSENT | ours) | {
        "published": None if pd.isna(row["published"]) else f"{row['published']:g}",
        "difference": _cell(_ABSENT | {"estimate": row["difference"]})["value"],
        "n": _count(row["n"]),
        "note": notes,
    }


# --- planted ---


def planted(task: Task, summary: pd.DataFrame, labels: Mapping[str, str]) -> list[dict]:
    """A row a model of a task with planted texts: the strength, and how effects follow what was planted; none where the
    summary has no such numbers.

    `follows`: whether the interval of the rank correlation lies above 0, None without one.
    """
    chosen = summary[summary["variant"].isin(_PLANTED)]
    return [
        {
            "task": task.name,
            "label": label,
            "strength": _strength(task),
            "is_planted": task.header["task"]["data"]["planted"] > 0,
            "spearman": _correlation(rank := own.get(("planted_spearman", "all", "country"), _ABSENT)),
            "slope": _cell(own.get(("planted_slope", "all", "country"), _ABSENT)),
            "follows": None if pd.isna(rank["ci_low"]) else bool(rank["ci_low"] > 0),
        }
        for label, own in _of_models(chosen, METRIC, task.name, labels)
    ]


# --- rows ---


def _of_models(summary: pd.DataFrame, metric: str, task: str, labels: Mapping[str, str]) -> Iterable[tuple[str, Rows]]:
    """The label of each model and classifier of a task, in the order of `labels`, and its rows of a metric."""
    chosen = summary[(summary["metric"] == metric) & summary["group"].str.startswith(f"{task}/")]
    chosen = chosen.assign(group=chosen["group"].str.removeprefix(f"{task}/"), note=_notes(chosen))
    for label, own in _by_label(chosen, labels):
        yield label, own.set_index(["variant", "unit", "group"])[list(_ABSENT)].to_dict("index")


def _notes(rows: pd.DataFrame) -> pd.Series:
    """What rows say of themselves, None where they say nothing."""
    return rows["note"].astype(object).where(rows["note"].notna(), None)


def _by_label(rows: pd.DataFrame, labels: Mapping[str, str]) -> Iterable[tuple[str, pd.DataFrame]]:
    for model, own in _in_order(rows, labels).groupby("model", sort=False):
        yield labels[model], own


def _in_order(rows: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """Rows of models that have a label, in the order of these."""
    ranks = {model: rank for rank, model in enumerate(labels)}
    rows = rows[rows["model"].isin(ranks)]
    return rows.sort_values("model", key=lambda of: of.map(ranks), kind="stable")


def _percent(row: Mapping) -> dict[str, str | None]:
    return _cell(row, _PER_CENT)


def _cell(row: Mapping, scale: float = 1) -> dict[str, str | None]:
    """`number` of a row; what rounding leaves of 0 is 0."""
    rounded = {of: round(row[of], _DECIMALS) + 0.0 for of in ("estimate", "ci_low", "ci_high")}
    return number(pd.Series(rounded, dtype=float), scale)


def _share(value: float) -> str | None:
    """A share without an interval, in per cent."""
    return None if pd.isna(value) else f"{_PER_CENT * value:.3g}".replace("-", "−")


def _count(n: float) -> str | None:
    return None if pd.isna(n) else f"{int(n):,}"
