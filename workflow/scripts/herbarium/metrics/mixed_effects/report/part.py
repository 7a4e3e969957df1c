"""The part of the page on mixed effects: facts here, sentences in the templates next to it.

`rows` are fits of the schema "adjusted_fits", in the order of the page. `labels` maps a model's name to its label.
"""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.mixed_effects import TITLE
from herbarium.metrics.mixed_effects.figures import bins, effect_sizes, levels, scores, shared
from herbarium.metrics.mixed_effects.questions import COMMON, SHARED, WITH_NEGATIVE
from herbarium.report import fits as of_fits
from herbarium.report.answers import Answer, answer, foremost
from herbarium.report.fits import STRUCTURES, cell, place, row, trouble
from herbarium.report.numbers import text
from herbarium.report.part import CORRECTIONS, Part, render
from herbarium.report.pictures import Picture, shown
from herbarium.report.planted import order
from herbarium.statistics import fits_overview
from herbarium.statistics.effect_sizes import is_biased, symbol
from herbarium.statistics.fits import CROSSED, FORMULAS, INTERCEPTS, SLOPES

NAME = "mixed_effects"
PAPER = "Mixed effects (Shrestha et al., 2025)"
FIGURES = {"scores": scores, "effect_sizes": effect_sizes, "levels": levels, "bins": bins}
_SECTIONS = [
    ("mixed", TITLE),
    ("mixed-robustness", "Robustness (effect sizes)"),
    ("mixed-reading", "How to read effect sizes"),
]
_WITHOUT = "without "
# Shares of simulated studies without an effect in which tests reject: resources/mixed_effects/validity.csv.
REJECTS = {"male_female": "62 to 70 %", "male_neo": "69 to 85 %", "primary": "3 to 4 %"}
_SUBSETS = {
    SHARED: "positive, in the templates that take both",
    WITH_NEGATIVE: "with negative targets, reversed",
    COMMON: "common pairs only",
}
_NOTHING = pd.Series(dtype=float)


def part(
    fits: pd.DataFrame,
    stimuli: Iterable[str],
    models: list[dict],
    pictures: Mapping[str, Picture],
    settings: Mapping,
) -> Part:
    """The metric's part of the page.

    fits: of the schema "adjusted_fits", only for these stimuli. stimuli: their names, in the order of the page. models:
    records. pictures: the figures by their names. settings: `mixed_models` of the configuration.
    """
    values = facts(fits, stimuli, models, pictures, settings)
    main = shared.main(fits, stimuli, models, [CROSSED])
    folder = Path(__file__).parent
    return Part(
        name=NAME,
        title=f"{TITLE}: effect sizes of bias (Shrestha et al., 2025)",
        sections=_SECTIONS,
        html=render(folder, "part.html.j2", values),
        overview=render(folder, "overview.html.j2", values),
        limits=render(folder, "limits.html.j2", values),
        tested=[of_fits.tested("mixed", settings)],
        models=models,
        papers=[(NAME, PAPER, "mixed")],
        uncertainty=of_fits.uncertainty(fits, settings["tests"], TITLE, "mixed", "mixed-robustness"),
        lead=render(folder, "lead.html.j2", values),
        answers=[
            foremost_answer(
                main, models, math.log(settings["tests"]["equivalence_ratio"]), settings["bootstrap"]["level"]
            )
        ],
        topics=list(fits["dimension"].unique()),
    )


def foremost_answer(main: pd.DataFrame, models: list[dict], bound: float, level: float) -> Answer:
    """The first screen: of each model and question the score with the smallest adjusted p-value, with an interval that
    holds for all dimensions at once; small only if every dimension is.

    main: bias scores of the main questions. bound: of the equivalence test. level: coverage.
    """
    known = main.dropna(subset="estimate").reset_index(drop=True)
    keys = ["data", "contrast", "model"]
    is_equivalent = known["p_equivalence_adjusted"] < shared.ALPHA
    are_all = is_equivalent.groupby([known[key] for key in keys]).transform("all")
    rows = foremost(known.assign(within=are_all.map({True: bound, False: math.nan})), keys, level)
    rows = fits_overview.places(rows).assign(
        variant=fits_overview.BIAS,
        of=rows["data"] + ", " + rows["contrast"],
        caveat="the dimension with the smallest p-value is "
        + rows["dimension"]
        + "; its interval holds for all dimensions at once"
        + ("; " + rows["note"]).fillna(""),
    )
    return answer(
        TITLE,
        "How much likelier one group of gendered words is with targets than another, in the dimension with the "
        "smallest adjusted p-value.",
        "log ratio",
        "mixed",
        rows,
        {model["name"]: model["planted"] for model in models},
        directions=("the first group is likelier", "the second group is likelier"),
    )


def facts(
    fits: pd.DataFrame,
    stimuli: Iterable[str],
    models: list[dict],
    pictures: Mapping[str, Picture],
    settings: Mapping,
) -> dict:
    """The data of the templates. Arguments as for `part`."""
    labels = {model["name"]: style.label(model["name"], model["planted"]) for model in models}
    main, level = shared.main(fits, stimuli, models, STRUCTURES), settings["bootstrap"]["level"]
    binary = main[main["contrast"] == shared.CONTRAST]
    # of all definitions, subsets and structures
    every = shared.ordered(fits[fits["contrast"] == shared.CONTRAST], stimuli, models)
    return {
        "settings": settings,
        "correction": CORRECTIONS[settings["tests"]["correction"]],
        "alpha": f"{shared.ALPHA:g}",
        "bound": f"{math.log(settings['tests']['equivalence_ratio']):.3g}",
        "formulas": FORMULAS,
        "structures": STRUCTURES,
        "rejects": REJECTS,
        "questions": questions(main, labels, level),
        "calibrations": calibrations(binary, labels, level),
        "components": components(binary[binary["structure"] == INTERCEPTS], labels),
        "further": further(every, labels),
        "subsets": subsets(every, labels),
        "released": released(every, labels),
        "troubles": of_fits.troubles(fits, labels),
        "figures": {
            name: _shown(pictures[f"{NAME}_{name}"], module, name)
            for name, module in FIGURES.items()
            if f"{NAME}_{name}" in pictures
        },
    }


def _shown(picture: Picture, module, name: str) -> dict:
    """A figure on the page. module: of the figure."""
    return shown(picture, module.describe(picture.table), f"{NAME}_{name}", module.panels(picture.table))


def questions(main: pd.DataFrame, labels: Mapping[str, str], level: float) -> list[dict]:
    """For each set of stimuli and contrast the finding for each model (`finding`), and one row per dimension and model
    (`report.fits.row`): `rows` of the bias score, `paper` of the paper's model.

    main: fits of the main questions, of all structures. level: coverage.
    """
    entries = []
    for (name, contrast), rows in main.groupby(["data", "contrast"], sort=False):
        first, _, second = contrast.rpartition("-")
        by_structure = {
            kind: [row(fit, labels) for _, fit in rows[rows["structure"] == structure].iterrows()]
            for kind, structure in (("rows", CROSSED), ("paper", INTERCEPTS))
        }
        findings = [finding(group, labels[model], level) for model, group in rows.groupby("model", sort=False)]
        entries.append({"stimuli": name, "first": first, "second": second, "findings": findings} | by_structure)
    return entries


def finding(rows: pd.DataFrame, label: str, level: float) -> dict:
    """The finding of one question for a model. rows: of all structures. level: coverage.

    `differs`: dimension and score of those whose adjusted p-value is below the level; `equivalent`: those that the
    equivalence test places within its bound, adjusted; `open`: those for which neither is shown; `untested`: those
    without a test; all by the bias score, as are `foremost`, the dimension and score of `report.answers.foremost`, and
    `missing`, those without a value. `biased`: dimensions that the paper's decision calls biased.
    """
    main, paper = (rows[rows["structure"] == structure].set_index("dimension") for structure in (CROSSED, INTERCEPTS))
    differs, equivalent = main["p_adjusted"] < shared.ALPHA, main["p_equivalence_adjusted"] < shared.ALPHA
    is_tested = main["p_value"].notna()
    known = main.dropna(subset="estimate").reset_index()
    first = None if known.empty else foremost(known, ["model"], level).iloc[0]
    return {
        "label": label,
        "n": len(main),
        "differs": [{"dimension": dimension, "score": cell(fit)} for dimension, fit in main[differs].iterrows()],
        "equivalent": list(main.index[equivalent]),
        "open": list(main.index[is_tested & ~differs & ~equivalent]),
        "untested": list(main.index[~is_tested & main["estimate"].notna()]),
        "foremost": None if first is None else {"dimension": first["dimension"], "score": cell(first)},
        "missing": list(main.index[main["estimate"].isna()]),
        "biased": [name for name, fit in paper.iterrows() if is_biased(fit["p_value"], fit["r2"])],
    }


def calibrations(binary: pd.DataFrame, labels: Mapping[str, str], level: float) -> list[dict]:
    """For each set of stimuli with planted models: whether |bias score| rises with the strength, and the findings
    without bias.

    `n` dimensions; `rising`: those in which it rises from strength to strength, `disjoint`: those of them whose
    neighbouring intervals are disjoint, `incomplete`: those with a missing value or interval. All of these are absent
    if there is only one strength. `unbiased`: the `finding` of each model of strength 0. binary: male
    against female words. level: coverage.
    """
    entries = []
    for name, rows in binary[binary["planted"].notna()].groupby("data", sort=False):
        entry = {"stimuli": name}
        if rows["planted"].nunique() > 1:
            entry |= _order(rows)
        unbiased = rows[rows["planted"] == 0].groupby("model", sort=False)
        entry["unbiased"] = [finding(group, labels[model], level) for model, group in unbiased]
        entries.append(entry)
    return entries


def _order(rows: pd.DataFrame) -> dict:
    rows = shared.magnitudes(rows[rows["structure"] == CROSSED])
    orders = {dimension: order(group) for dimension, group in rows.groupby("dimension", sort=False)}
    rising = [
        dimension
        for dimension, dimension_order in orders.items()
        if dimension_order["complete"] and not dimension_order["falling"]
    ]
    return {
        "n": len(orders),
        "rising": rising,
        "disjoint": [dimension for dimension in rising if not orders[dimension]["overlapping"]],
        "incomplete": [dimension for dimension, dimension_order in orders.items() if not dimension_order["complete"]],
    }


def components(rows: pd.DataFrame, labels: Mapping[str, str]) -> list[dict]:
    """For each set of stimuli one row per dimension and model (`component`). rows: fits of the paper's model."""
    return [
        {"stimuli": name, "rows": [component(fit, labels) for _, fit in of_stimuli.iterrows()]}
        for name, of_stimuli in rows.groupby("data", sort=False)
    ]


def component(fit: pd.Series, labels: Mapping[str, str]) -> dict:
    """Standard deviations and intra-class correlations of a fit of the paper's model."""
    # the remainder of a variance in a singular fit is rounded away
    spreads = [text(round(fit[f"sd_{group}"], 6)) for group in ("template", "target", "residual")]
    shares = [text(fit[f"icc_{group}"], ".1%") for group in ("template", "target")]
    return place(fit, labels) | {"spreads": spreads, "shares": shares, "trouble": trouble(fit)}


def further(every: pd.DataFrame, labels: Mapping[str, str]) -> list[dict]:
    """For each set of stimuli that has some, the score with other random effects, and its range without each template.

    `structures`: their names; `rows`, one per dimension and model: `cells`, the score of each structure, `maximal`, the
    numbers of the maximal model, and `range`, lowest and highest score without a template. every: male against female
    words.
    """
    rows = every[every["definition"] == shared.DEFINITION]
    entries = []
    for name, of_stimuli in rows.groupby("data", sort=False):
        of_all = of_stimuli[of_stimuli["subset"] == shared.SUBSET]
        structures = [structure for structure in STRUCTURES if structure in set(of_all["structure"])]
        fewer = of_stimuli[of_stimuli["subset"].str.startswith(_WITHOUT)]
        if len(structures) < 2 and fewer.empty:
            continue
        by_structure = _by(of_all, "structure")
        ranges = fewer.groupby(["dimension", "model"])["estimate"].agg(["min", "max"])
        entries.append(
            {
                "stimuli": name,
                "structures": [STRUCTURES[structure] for structure in structures],
                "has_maximal": SLOPES in structures,
                "has_ranges": not fewer.empty,
                "rows": [
                    place(fit, labels)
                    | {
                        "cells": [_score(by_structure.get((*key, structure))) for structure in structures],
                        "maximal": row(by_structure[*key, SLOPES], labels) if (*key, SLOPES) in by_structure else None,
                        "range": {"low": text(ranges.loc[key, "min"]), "high": text(ranges.loc[key, "max"])}
                        if key in ranges.index
                        else None,
                    }
                    for fit, key in _mains(of_all)
                ],
            }
        )
    return entries


def subsets(every: pd.DataFrame, labels: Mapping[str, str]) -> list[dict]:
    """For each set of stimuli that has some, the score for other sentences (Tables 5 to 7): `columns`, and one row per
    dimension and model.
    """
    is_paper = (every["definition"] == shared.DEFINITION) & (every["structure"] == INTERCEPTS)
    rows = every[is_paper & ~every["subset"].str.startswith(_WITHOUT)]
    entries = []
    for name, of_stimuli in rows.groupby("data", sort=False):
        of_subsets = list(of_stimuli["subset"].unique())
        if len(of_subsets) > 1:
            fits = _by(of_stimuli, "subset")
            entries.append(
                {
                    "stimuli": name,
                    "columns": [_SUBSETS.get(subset, subset) for subset in of_subsets],
                    "rows": [
                        place(fit, labels)
                        | {"cells": [_with_symbol(fits.get((*key, subset))) for subset in of_subsets]}
                        for fit, key in _mains(of_stimuli[of_stimuli["subset"] == shared.SUBSET])
                    ],
                }
            )
    return entries


def released(every: pd.DataFrame, labels: Mapping[str, str]) -> list[dict]:
    """For each set of stimuli that has it, score and R² with the association of the paper and of the released code."""
    rows = every[(every["subset"] == shared.SUBSET) & (every["structure"] == INTERCEPTS)]
    entries = []
    for name, of_stimuli in rows.groupby("data", sort=False):
        fits = _by(of_stimuli, "definition")
        if "released" in set(of_stimuli["definition"]):
            cells = [
                place(fit, labels)
                | {
                    "cells": [
                        cell(fits.get((*key, definition), _NOTHING), column)
                        for column in ("estimate", "r2")
                        for definition in (shared.DEFINITION, "released")
                    ]
                }
                for fit, key in _mains(of_stimuli[of_stimuli["definition"] == shared.DEFINITION])
            ]
            entries.append({"stimuli": name, "rows": cells})
    return entries


def _by(rows: pd.DataFrame, key: str) -> dict[tuple, pd.Series]:
    """(dimension, model, key) -> the fit."""
    return {(fit["dimension"], fit["model"], fit[key]): fit for _, fit in rows.iterrows()}


def _mains(rows: pd.DataFrame) -> list[tuple[pd.Series, tuple[str, str]]]:
    """The fits of the paper's model, and their dimension and model."""
    return [(fit, (fit["dimension"], fit["model"])) for _, fit in rows[rows["structure"] == INTERCEPTS].iterrows()]


def _score(fit: pd.Series | None) -> dict:
    """The score, and under it the problem with the fit."""
    if fit is None:
        return cell(_NOTHING) | {"note": None}
    return cell(fit) | {"note": trouble(fit)}


def _with_symbol(fit: pd.Series | None) -> dict:
    """The score, and under it the paper's symbol and the problem with the fit."""
    if fit is None or pd.isna(fit["r2"]):
        return _score(fit)
    notes = [symbol(fit["r2"]), trouble(fit)]
    return cell(fit) | {"note": ", ".join(note for note in notes if note) or None}
