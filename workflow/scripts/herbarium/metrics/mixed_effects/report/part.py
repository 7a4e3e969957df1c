"""The part of the report on mixed effects: facts here, sentences in `mixed_effects.html.j2`.

`rows` are fits of the schema "mixed_effects_adjusted", in the order of the page. `labels` maps a model's name to its
label.
"""

import math
from collections.abc import Mapping

import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.mixed_effects.figures import bins as mixed_effects_bins
from herbarium.metrics.mixed_effects.figures import effect_sizes as mixed_effects_effect_sizes
from herbarium.metrics.mixed_effects.figures import levels as mixed_effects_levels
from herbarium.metrics.mixed_effects.figures import scores as mixed_effects_scores
from herbarium.metrics.mixed_effects.figures import shared
from herbarium.metrics.mixed_effects.questions import COMMON, SHARED, WITH_NEGATIVE
from herbarium.page.build import Part
from herbarium.report.numbers import number, p_value
from herbarium.report.pictures import Picture, shown
from herbarium.report.planted import order
from herbarium.statistics.effect_sizes import band, is_biased, symbol
from herbarium.statistics.fits import FORMULAS, INTERCEPTS, PAIRS, SLOPES, WORDS
from herbarium.statistics.grouped import EACH, OTHERS

FIGURES = {
    "scores": mixed_effects_scores,
    "effect_sizes": mixed_effects_effect_sizes,
    "levels": mixed_effects_levels,
    "bins": mixed_effects_bins,
}
_SECTIONS = [
    ("mixed", "Effect sizes"),
    ("mixed-firm", "How firm (effect sizes)"),
    ("mixed-reading", "How to read effect sizes"),
]
CROWS_PAIRS = "crows_pairs"
# Metrics whose scores get the same model, and what their groups are.
GROUPED = {"herb": "continents", "categorical_bias": "languages"}
STRUCTURES = {INTERCEPTS: "as in the paper", PAIRS: "with pairs", WORDS: "with words", SLOPES: "maximal"}
_WITHOUT = "without "
_SUBSETS = {
    SHARED: "positive, in the templates that take both",
    WITH_NEGATIVE: "with negative targets, reversed",
    COMMON: "common pairs alone",
}
_SMALLEST_P = 0.001
_NOTHING = pd.Series(dtype=float)


def part(
    fits: pd.DataFrame, summary: pd.DataFrame, models: list[dict], pictures: Mapping[str, Picture], study: dict
) -> Part:
    """The part of the page, with all that its template says.

    fits: of the schema "mixed_effects_adjusted", all that the study has. summary: tidy table. models: model records.
    pictures: the figures by the name of their module, without "mixed_effects_". study: the effective configuration.
    """
    settings = study["mixed_effects"]
    labels = {model["name"]: style.label(model["name"], model["planted"]) for model in models}
    probes = list(settings["probes"])
    main = shared.main(fits, probes, models, STRUCTURES)
    binary = main[main["contrast"] == shared.CONTRAST]
    # of all definitions, subsets and structures
    every = shared.ordered(fits[fits["contrast"] == shared.CONTRAST], probes, models)
    facts = {
        "settings": settings,
        "alpha": f"{shared.ALPHA:g}",
        "bound": f"{math.log(settings['tests']['equivalence_ratio']):.3g}",
        "formulas": FORMULAS,
        "structures": STRUCTURES,
        "questions": questions(main, labels),
        "calibrations": calibrations(binary, labels),
        "components": _by_probe(binary[binary["structure"] == INTERCEPTS], labels, component),
        "further": further(every, labels),
        "subsets": subsets(every, labels),
        "released": released(every, labels),
        "crows_pairs": crows_pairs(shared.main(fits, [CROWS_PAIRS], models, [INTERCEPTS]), summary, labels),
        "groups": groups(shared.ordered(fits, GROUPED, models), labels),
        "troubles": troubles(fits, labels),
        "figures": {
            name: shown(pictures[name], module.describe(pictures[name].table), f"mixed_effects_{name}")
            for name, module in FIGURES.items()
            if name in pictures
        },
    }
    title = "Effect sizes of bias, by linear mixed models (Shrestha et al., 2025)"
    return Part(title, _SECTIONS, "mixed_effects.html.j2", facts)


def questions(main: pd.DataFrame, labels: Mapping[str, str]) -> list[dict]:
    """Of each probe and contrast what is found in each model (`finding`), and a row a dimension and model (`row`).

    main: fits of the main questions, of all structures.
    """
    found = []
    for (probe, contrast), rows in main.groupby(["probe", "contrast"], sort=False):
        of_paper = rows[rows["structure"] == INTERCEPTS]
        first, _, second = contrast.rpartition("-")
        found.append(
            {
                "probe": probe,
                "first": first,
                "second": second,
                "findings": [finding(own, labels[name]) for name, own in rows.groupby("model", sort=False)],
                "rows": [row(fit, labels) for _, fit in of_paper.iterrows()],
            }
        )
    return found


def finding(rows: pd.DataFrame, label: str) -> dict:
    """What the paper's decision says of a model and question, and what stands against it. rows: of all structures.

    `biased`: dimension and score of those that the decision calls so; `adjusted`, those of them whose adjusted p-value
    is significant; `maximal`, the dimensions whose score the maximal model finds significant, adjusted, None where the
    study has no such fit; `equivalent`, those that the equivalence test finds as good as zero, by the maximal model
    where there is one. `largest`: the dimension and score furthest from zero, `missing`: dimensions without a value.
    """
    main, maximal = (rows[rows["structure"] == of].set_index("dimension") for of in (INTERCEPTS, SLOPES))
    biased = main[[is_biased(p, r2) for p, r2 in zip(main["p_value"], main["r2"], strict=True)]]
    p_equivalence = maximal["p_equivalence"].reindex(main.index).fillna(main["p_equivalence"])
    known = main.dropna(subset="estimate")
    largest = None if known.empty else known.loc[known["estimate"].abs().idxmax()]
    return {
        "label": label,
        "n": len(main),
        "biased": [{"dimension": dimension, "score": _cell(fit)} for dimension, fit in biased.iterrows()],
        "r2": [f"{value:.2g}" for value in (biased["r2"].min(), biased["r2"].max())],
        "adjusted": list(biased.index[biased["p_adjusted"] < shared.ALPHA]),
        "maximal": None if maximal.empty else list(maximal.index[maximal["p_adjusted"] < shared.ALPHA]),
        "equivalent": list(p_equivalence.index[p_equivalence < shared.ALPHA]),
        "largest": None if largest is None else {"dimension": largest.name, "score": _cell(largest)},
        "missing": list(main.index[main["estimate"].isna()]),
    }


def row(fit: pd.Series, labels: Mapping[str, str]) -> dict:
    """All numbers of a fit."""
    has_r2 = pd.notna(fit["r2"])
    return _place(fit, labels) | {
        "n": f"{fit['n']:,}",
        "n_refused": int(fit["n_refused"]),
        "score": _cell(fit),
        "std_error": _text(fit["std_error"]),
        "df": _text(fit["df"], ".4g"),
        **{key: p_text(fit[key]) for key in ("p_value", "p_adjusted", "p_equivalence")},
        "r2": _cell(fit, "r2"),
        "r2_raw": _cell(fit, "r2_raw"),
        "effect": f"{band(fit['r2'])} {symbol(fit['r2'])}".strip() if has_r2 else None,
        "is_biased": is_biased(fit["p_value"], fit["r2"]) if has_r2 else None,
        "mde": _text(fit["mde"]),
        "trouble": _trouble(fit),
    }


def calibrations(binary: pd.DataFrame, labels: Mapping[str, str]) -> list[dict]:
    """For each probe with planted models: whether |bias score| follows the strength, and what is said of no bias.

    `n` dimensions; `rising`: those where it rises from strength to strength, `disjoint`: those of them where intervals
    of neighbours have no value in common, `incomplete`: those where a value or interval is missing; by the maximal
    model if `is_maximal`. All of these are absent where there is one strength only. `unbiased`: the `finding` of each
    model of strength 0. binary: male against female words.
    """
    found = []
    for probe, rows in binary[binary["planted"].notna()].groupby("probe", sort=False):
        of = {"probe": probe}
        if rows["planted"].nunique() > 1:
            of |= _order(rows)
        unbiased = rows[rows["planted"] == 0].groupby("model", sort=False)
        of["unbiased"] = [finding(own, labels[model]) for model, own in unbiased]
        found.append(of)
    return found


def _order(rows: pd.DataFrame) -> dict:
    is_maximal = (rows["structure"] == SLOPES).any()
    rows = shared.magnitudes(rows[rows["structure"] == (SLOPES if is_maximal else INTERCEPTS)])
    said = {dimension: order(own) for dimension, own in rows.groupby("dimension", sort=False)}
    rising = [dimension for dimension, of in said.items() if of["complete"] and not of["falling"]]
    return {
        "is_maximal": bool(is_maximal),
        "n": len(said),
        "rising": rising,
        "disjoint": [dimension for dimension in rising if not said[dimension]["overlapping"]],
        "incomplete": [dimension for dimension, of in said.items() if not of["complete"]],
    }


def component(fit: pd.Series, labels: Mapping[str, str]) -> dict:
    """Standard deviations and intra-class correlations of a fit of the paper's model."""
    # what a singular fit leaves of a variance is rounded away
    spreads = [_text(round(fit[f"sd_{of}"], 6)) for of in ("template", "target", "residual")]
    shares = [None if pd.isna(fit[f"icc_{of}"]) else f"{fit[f'icc_{of}']:.1%}" for of in ("template", "target")]
    return _place(fit, labels) | {"spreads": spreads, "shares": shares, "trouble": _trouble(fit)}


def further(every: pd.DataFrame, labels: Mapping[str, str]) -> list[dict]:
    """Of each probe that has some, the score with other random effects, and the range of it without each template.

    `structures`: their names; `rows`, one a dimension and model: `cells`, the score of each structure, `maximal`, the
    numbers of the maximal model, and `range`, lowest and highest score without a template. every: male against female
    words.
    """
    rows = every[every["definition"] == shared.DEFINITION]
    found = []
    for probe, of_probe in rows.groupby("probe", sort=False):
        of_all = of_probe[of_probe["subset"] == shared.SUBSET]
        structures = [name for name in STRUCTURES if name in set(of_all["structure"])]
        fewer = of_probe[of_probe["subset"].str.startswith(_WITHOUT)]
        if len(structures) < 2 and fewer.empty:
            continue
        by_structure = _by(of_all, "structure")
        ranges = fewer.groupby(["dimension", "model"])["estimate"].agg(["min", "max"])
        found.append(
            {
                "probe": probe,
                "structures": [STRUCTURES[name] for name in structures],
                "has_maximal": SLOPES in structures,
                "has_ranges": not fewer.empty,
                "rows": [
                    _place(fit, labels)
                    | {
                        "cells": [_score(by_structure.get((*key, name))) for name in structures],
                        "maximal": row(by_structure[*key, SLOPES], labels) if (*key, SLOPES) in by_structure else None,
                        "range": [_text(ranges.loc[key, end]) for end in ("min", "max")]
                        if key in ranges.index
                        else None,
                    }
                    for fit, key in _mains(of_all)
                ],
            }
        )
    return found


def subsets(every: pd.DataFrame, labels: Mapping[str, str]) -> list[dict]:
    """Of each probe that has some, the score of other sentences (Tables 5 to 7): `columns`, and a row a dimension and
    model.
    """
    is_paper = (every["definition"] == shared.DEFINITION) & (every["structure"] == INTERCEPTS)
    rows = every[is_paper & ~every["subset"].str.startswith(_WITHOUT)]
    found = []
    for probe, of_probe in rows.groupby("probe", sort=False):
        names = list(of_probe["subset"].unique())
        if len(names) > 1:
            fits = _by(of_probe, "subset")
            found.append(
                {
                    "probe": probe,
                    "columns": [_SUBSETS.get(name, name) for name in names],
                    "rows": [
                        _place(fit, labels) | {"cells": [_with_symbol(fits.get((*key, name))) for name in names]}
                        for fit, key in _mains(of_probe[of_probe["subset"] == shared.SUBSET])
                    ],
                }
            )
    return found


def released(every: pd.DataFrame, labels: Mapping[str, str]) -> list[dict]:
    """Of each probe that has it, score and R² as in the paper and as the released code has the association."""
    rows = every[(every["subset"] == shared.SUBSET) & (every["structure"] == INTERCEPTS)]
    found = []
    for probe, of_probe in rows.groupby("probe", sort=False):
        fits = _by(of_probe, "definition")
        if "released" in set(of_probe["definition"]):
            cells = [
                _place(fit, labels)
                | {
                    "cells": [
                        _cell(fits.get((*key, definition), _NOTHING), of)
                        for of in ("estimate", "r2")
                        for definition in (shared.DEFINITION, "released")
                    ]
                }
                for fit, key in _mains(of_probe[of_probe["definition"] == shared.DEFINITION])
            ]
            found.append({"probe": probe, "rows": cells})
    return found


def crows_pairs(rows: pd.DataFrame, summary: pd.DataFrame, labels: Mapping[str, str]) -> list[dict]:
    """A row a bias type and model: the published score, per cent of pairs, and the fit. rows: of CrowS-Pairs."""
    scores = summary[(summary["metric"] == CROWS_PAIRS) & (summary["variant"] == "cps")]
    fits = {(fit["model"], fit["dimension"]): fit for _, fit in rows.iterrows()}
    return [
        {
            "dimension": score["group"],
            "label": labels.get(score["model"], score["model"]),
            "n_pairs": int(score["n"]),
            "cps": number(score, scale=1),
            "p": p_text(score["p_value"]),
            "fit": row(fits[key], labels) if (key := (score["model"], score["group"])) in fits else None,
        }
        for _, score in scores.iterrows()
    ]


def groups(rows: pd.DataFrame, labels: Mapping[str, str]) -> list[dict]:
    """A row a fit of the scores of other metrics. rows: of `GROUPED`."""
    rows = rows[rows["probe"].isin(GROUPED)]
    return [
        row(fit, labels) | {"probe": fit["probe"], "contrast": _group(fit), "structure": STRUCTURES[fit["structure"]]}
        for _, fit in rows.iterrows()
    ]


def _group(fit: pd.Series) -> str:
    if fit["contrast"] == EACH:
        return f"all {GROUPED[fit['probe']]} at once"
    return f"{fit['contrast'].removesuffix(f'-{OTHERS}')} against the others"


def troubles(fits: pd.DataFrame, labels: Mapping[str, str]) -> dict:
    """How many fits are singular, did not converge or gave no number: in all, and a row a probe and structure; and by
    name those that did not converge or gave none. `said`: what the fits say, and how often.
    """
    fits = fits.assign(is_empty=fits["p_value"].isna(), is_lost=~fits["converged"].astype(bool))
    columns = {"n": ("model", "size"), "singular": ("singular", "sum")}
    columns |= {"lost": ("is_lost", "sum"), "empty": ("is_empty", "sum")}
    rows = fits.groupby(["probe", "structure"], sort=False).agg(**columns)
    lost = fits[fits["is_lost"] | fits["is_empty"]]
    return {
        "total": {name: int(value) for name, value in rows.sum().items()},
        "rows": [
            {"probe": probe, "structure": STRUCTURES[structure]} | {name: int(value) for name, value in of.items()}
            for (probe, structure), of in rows.iterrows()
        ],
        "lost": [
            _place(fit, labels)
            | {
                "what": ", ".join(fit[["probe", "definition", "subset", "structure", "contrast"]]),
                "trouble": ", ".join(["did not converge"] * fit["is_lost"] + ["no p-value"] * fit["is_empty"]),
                "note": fit["note"],
            }
            for _, fit in lost.iterrows()
        ],
        "said": [{"note": note, "n": n} for note, n in fits["note"].dropna().value_counts().items()],
    }


def p_text(p: float) -> str | None:
    """A p-value as text; None where there is none. Those of mixed models may be smaller than a computer can hold."""
    return f"< {_SMALLEST_P:g}" if p < _SMALLEST_P else p_value(p)


def _by_probe(rows: pd.DataFrame, labels: Mapping[str, str], of_fit) -> list[dict]:
    return [
        {"probe": probe, "rows": [of_fit(fit, labels) for _, fit in of_probe.iterrows()]}
        for probe, of_probe in rows.groupby("probe", sort=False)
    ]


def _by(rows: pd.DataFrame, key: str) -> dict[tuple, pd.Series]:
    """(dimension, model, key) -> the fit."""
    return {(fit["dimension"], fit["model"], fit[key]): fit for _, fit in rows.iterrows()}


def _mains(rows: pd.DataFrame) -> list[tuple[pd.Series, tuple[str, str]]]:
    """The fits of the paper's model, and their dimension and model."""
    return [(fit, (fit["dimension"], fit["model"])) for _, fit in rows[rows["structure"] == INTERCEPTS].iterrows()]


def _place(fit: pd.Series, labels: Mapping[str, str]) -> dict:
    return {"dimension": fit["dimension"], "label": labels.get(fit["model"], fit["model"])}


def _cell(fit: pd.Series, of: str = "estimate") -> dict:
    """A number with its interval. of: `estimate`, or a kind of R²."""
    bounds = ("ci_low", "ci_high") if of == "estimate" else (f"{of}_low", f"{of}_high")
    values = [fit.get(column, math.nan) for column in (of, *bounds)]
    return number(pd.Series(values, ["estimate", "ci_low", "ci_high"]), scale=1)


def _score(fit: pd.Series | None) -> dict:
    """The score, and under it what is wrong with the fit."""
    if fit is None:
        return _cell(_NOTHING) | {"note": None}
    return _cell(fit) | {"note": _trouble(fit)}


def _with_symbol(fit: pd.Series | None) -> dict:
    """The score, and under it the paper's symbol and what is wrong with the fit."""
    if fit is None or pd.isna(fit["r2"]):
        return _score(fit)
    notes = [symbol(fit["r2"]), _trouble(fit)]
    return _cell(fit) | {"note": ", ".join(note for note in notes if note) or None}


def _trouble(fit: pd.Series) -> str | None:
    """What is wrong with a fit."""
    found = ["singular"] if fit["singular"] else []
    found += [] if fit["converged"] else ["did not converge"]
    return ", ".join(found) or None


def _text(value: float, form: str = ".3g") -> str | None:
    return None if pd.isna(value) else f"{value:{form}}".replace("-", "−")
