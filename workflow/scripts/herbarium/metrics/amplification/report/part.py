"""The part of the page on bias amplification: facts here, sentences in the templates next to it."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from herbarium.decisions.corpus import UNITS
from herbarium.drawing import style
from herbarium.drawing.tasks import titled, with_titles
from herbarium.metrics.amplification import TITLE
from herbarium.metrics.amplification.figures import iterations, margins, rates
from herbarium.metrics.amplification.figures.curves import NAMES
from herbarium.metrics.amplification.numbers import METRIC, OWN, PAPER, at_margin
from herbarium.regions.mentions import CONTINENT, COUNTRY, LEVELS
from herbarium.report.answers import Answer, answer, untested
from herbarium.report.numbers import p_text, text
from herbarium.report.part import CORRECTIONS, Part, Tested, render
from herbarium.report.pictures import Picture, shown
from herbarium.report.tasks import ABSENT, cell, count, in_order, notes, percent, share

_HERE = Path(__file__).parent
SECTION = "amplification"
_SHOWN = 8  # groups shown of a model: those with the largest differences


def part(
    numbers: pd.DataFrame,
    by_method: pd.DataFrame,
    structured: pd.DataFrame,
    planted: Mapping[str, float | None],
    names: Mapping[str, str],
    labels: Mapping[str, str],
    pictures: Mapping[str, Picture],
    settings: dict,
) -> Part:
    """
    numbers: tidy rows of the metric. by_method: of the schema "amplification_methods". structured: of
    "amplification_structured". planted: task -> strength of its texts, None for those that are not planted. names: of
    regions. labels: of models, in the order of tables. pictures: by the names of figures. settings: the section of the
    configuration, plain data.
    """
    tasks = [of_task(numbers, by_method, task, planted[task], names, labels, settings) for task in settings["tasks"]]
    table = with_titles(pictures[f"{METRIC}_rates"].table, planted)
    lines = with_titles(pictures[f"{METRIC}_iterations"].table, planted | dict.fromkeys(settings["structured"]))
    costs = with_titles(pictures[f"{METRIC}_margins"].table, planted)
    margin = settings["margin"]
    facts = {
        "settings": settings,
        "margin": f"{margin:g}",
        "level": f"{100 * settings['level']:g}",
        "correction": CORRECTIONS[settings["correction"]],
        "kinds": {CONTINENT: "continents", COUNTRY: "countries"}.get(settings["groups"], "groups"),
        "is_of_regions": settings["groups"] in LEVELS,
        "tasks": tasks,
        "structured": [_of_structured(row) for row in structured.to_dict("records")],
        "rates": _shown(pictures, "rates", rates.describe(table), rates.panels(table, margin)),
        "iterations": _shown(pictures, "iterations", iterations.describe(lines), iterations.panels(lines)),
        "margins": _shown(pictures, "margins", margins.describe(costs), margins.panels(costs, margin)),
    }
    family = "the groups of a model and task; the amplification of a model is not adjusted"
    return Part(
        name=METRIC,
        title=f"{TITLE} and decisions under constraint (after Zhao et al., 2017)",
        sections=[(SECTION, TITLE)],
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", {}),
        tested=[Tested(METRIC, TITLE, SECTION, family, settings["correction"])],
        models=[],
        papers=[(METRIC, "Zhao (2021), Chapter 5", SECTION)] if settings["ratios"] or settings["structured"] else [],
        lead=render(_HERE, "lead.html.j2", facts),
        answers=[amplification_answer(in_order(numbers, labels), planted)],
    )


def amplification_answer(numbers: pd.DataFrame, planted: Mapping[str, float | None]) -> Answer:
    """The first screen. Planted refers to the texts of a task. Arguments as for `part`."""
    is_ours = (numbers["definition"] == OWN) & (numbers["variant"] == "amplification") & (numbers["unit"] == "all")
    rows = numbers[is_ours]
    task = rows["group"].str.replace("/.*", "", regex=True)
    rows = rows.assign(of=task, planted_texts=task.map(planted), withheld=untested(rows))
    measures = "How much further apart the positive rates of groups are in predictions than in training."
    return answer(
        TITLE,
        measures,
        "difference of rates",
        SECTION,
        rows,
        {},
        directions=("groups are further apart than in training", "groups are nearer to each other than in training"),
    )


def _shown(pictures: Mapping[str, Picture], name: str, alt: str, panels: list[dict]) -> dict:
    return shown(pictures[f"{METRIC}_{name}"], alt, f"{METRIC}_{name}", panels)


def of_task(
    numbers: pd.DataFrame,
    by_method: pd.DataFrame,
    task: str,
    strength: float | None,
    names: Mapping[str, str],
    labels: Mapping[str, str],
    settings: Mapping,
) -> dict:
    """For a task: one row per model, its groups with the largest differences, and the comparison of methods."""
    chosen = in_order(numbers[numbers["group"].str.partition("/")[0] == task], labels)
    chosen = chosen.assign(note=notes(chosen))
    by_model = list(chosen.groupby("model", sort=False))
    side_by_side = in_order(at_margin(by_method[by_method["task"] == task], settings["margin"]), labels)
    return {
        "task": titled(task, strength),
        "name": task,
        "models": [_of_model(labels[model], model_rows) for model, model_rows in by_model],
        "groups": [row for model, model_rows in by_model for row in _of_groups(labels[model], model_rows, task, names)],
        "left_out": _left_out(chosen, task, names),
        "methods": [_of_method(labels[row["model"]], row, names) for row in side_by_side.to_dict("records")],
    }


def _of_model(label: str, numbers: pd.DataFrame) -> dict:
    rows = numbers[numbers["unit"] == "all"].set_index(["definition", "variant"]).to_dict("index")

    def lookup(definition: str, variant: str) -> dict:
        return rows.get((definition, variant), ABSENT)

    ours = lookup(OWN, "amplification")
    return {
        "label": label,
        "n": count(ours["n"]),
        "amplification": percent(ours),
        "p": p_text(ours["p_adjusted"]),
        "is_found": bool(ours["p_adjusted"] < style.ALPHA),
        "note": ours["note"],
        "slope": cell(lookup(OWN, "slope")),
        "slope_expected": cell(lookup(OWN, "slope_of_expected_rates")),
        "paper": share(lookup(PAPER, "amplification")["estimate"]),
        "paper_expected": share(lookup(PAPER, "amplification_of_expected_rates")["estimate"]),
        "by_chance": share(lookup(PAPER, "amplification_by_chance")["estimate"]),
        "violations": text(lookup(PAPER, "violations")["estimate"]),
        "violations_by_chance": text(lookup(PAPER, "violations_by_chance")["estimate"]),
        "accuracy": percent(lookup(OWN, "accuracy")),
        "brier": cell(lookup(OWN, "brier")),
    }


def _of_groups(label: str, numbers: pd.DataFrame, task: str, names: Mapping[str, str]) -> list[dict]:
    regions = numbers[numbers["unit"].isin(UNITS)]
    differences = regions[(regions["variant"] == "difference") & regions["estimate"].notna()]
    largest = differences.loc[differences["estimate"].abs().sort_values(ascending=False, kind="stable").index][:_SHOWN]
    rates = regions.set_index(["variant", "group"])["estimate"]
    return [
        {
            "label": label,
            "region": names.get(group := row["group"].removeprefix(f"{task}/"), group),
            "training": share(rates["training_rate", row["group"]]),
            "predicted": share(rates["predicted_rate", row["group"]]),
            "expected": share(rates["expected_rate", row["group"]]),
            "difference": percent(row),
            "p": p_text(row["p_adjusted"]),
        }
        for row in largest.to_dict("records")
    ]


def _left_out(chosen: pd.DataFrame, task: str, names: Mapping[str, str]) -> list[str]:
    rows = chosen[chosen["note"].astype(str).str.startswith("left out")]
    groups = rows["group"].drop_duplicates().str.removeprefix(f"{task}/")
    return [names.get(group, group) for group in groups]


def _of_method(label: str, row: Mapping, names: Mapping[str, str]) -> dict:
    return {
        "label": label,
        "method": NAMES[row["method"]],
        "violations": text(row["violations"]),
        "expected_violations": text(row["expected_violations"]),
        "excess": share(row["largest_excess"]),
        "gap": text(row["objective_gap"], ".2g"),
        "accuracy": share(row["accuracy"]),
        "brier": text(row["brier"]),
        "calibration_error": share(row["calibration_error"]),
        "error_rise": share(row["error_rise"]),
        "worst": names.get(row["worst_region"], row["worst_region"]) if row["error_rise"] > 0 else "",
        "iterations": text(row["iterations"]),
    }


def _of_structured(row: Mapping) -> dict:
    return {
        "name": row["name"],
        "method": NAMES[row["method"]],
        "size": f"{row['sets']} × {row['instances']}, {row['activities']}",
        "violations": text(row["violations"]),
        "expected_violations": text(row["expected_violations"]),
        "amplification": share(row["amplification"]),
        "expected_amplification": share(row["expected_amplification"]),
        "without_rate": text(row["without_rate"]),
        "lost": text(row["lost"], ".2g"),
        "accuracy": share(row["accuracy"]),
        "iterations": text(row["iterations"]),
    }
