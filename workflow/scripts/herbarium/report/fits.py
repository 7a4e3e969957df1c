"""What parts of the page say about mixed models: their numbers, problems of fits, what they could have found.

A fit is a row of the schema "adjusted_fits". `labels` maps a model's name to its label.
"""

import math
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from herbarium.report.numbers import number, p_text, text
from herbarium.report.part import Tested, render
from herbarium.statistics.effect_sizes import band, is_biased, symbol
from herbarium.statistics.fits import CROSSED, INTERCEPTS, PAIRS, SLOPES, WORDS
from herbarium.statistics.fits_overview import METRIC

STRUCTURES = {
    CROSSED: "crossed",
    INTERCEPTS: "as in the paper",
    PAIRS: "with pairs",
    WORDS: "with words",
    SLOPES: "maximal",
}


def row(fit: pd.Series, labels: Mapping[str, str]) -> dict:
    """All numbers of a fit."""
    has_r2 = pd.notna(fit["r2"])
    return place(fit, labels) | {
        "n": f"{fit['n']:,}",
        "n_refused": int(fit["n_refused"]),
        "score": cell(fit),
        "std_error": text(fit["std_error"]),
        "df": text(fit["df"], ".4g"),
        **{key: p_text(fit[key]) for key in ("p_value", "p_adjusted", "p_equivalence", "p_equivalence_adjusted")},
        "equivalence": {end: text(fit[f"equivalence_{end}"]) for end in ("low", "high", "bound")},
        "r2": cell(fit, "r2"),
        "r2_raw": cell(fit, "r2_raw"),
        "effect": f"{band(fit['r2'])} {symbol(fit['r2'])}".strip() if has_r2 else None,
        "is_biased": is_biased(fit["p_value"], fit["r2"]) if has_r2 else None,
        "mde": text(fit["mde"]),
        "trouble": trouble(fit),
        "note": None if pd.isna(fit["note"]) else fit["note"],
    }


def place(fit: pd.Series, labels: Mapping[str, str]) -> dict:
    """What a fit is about: its dimension, and the label of its model."""
    return {"dimension": fit["dimension"], "label": labels.get(fit["model"], fit["model"])}


def cell(fit: pd.Series, quantity: str = "estimate") -> dict:
    """A number with its interval. quantity: `estimate`, or a kind of R²."""
    bounds = ("ci_low", "ci_high") if quantity == "estimate" else (f"{quantity}_low", f"{quantity}_high")
    values = [fit.get(column, math.nan) for column in (quantity, *bounds)]
    return number(pd.Series(values, ["estimate", "ci_low", "ci_high"]), scale=1)


def trouble(fit: pd.Series) -> str | None:
    """What is wrong with a fit."""
    faults = ["singular"] if fit["singular"] else []
    faults += [] if fit["converged"] else ["did not converge"]
    return ", ".join(faults) or None


def troubles(fits: pd.DataFrame, labels: Mapping[str, str]) -> dict:
    """How many fits are singular, did not converge or gave no p-value, in `total` and in `rows`, one per data and
    structure. `lost`: each fit that did not converge or gave no p-value. `said`: the notes on fits, and how often each
    occurs. Numbers that need no fit (CROSSED) are left out.
    """
    fits = fits[fits["structure"] != CROSSED]
    fits = fits.assign(is_empty=fits["p_value"].isna(), is_lost=~fits["converged"].astype(bool))
    columns = {"n": ("model", "size"), "singular": ("singular", "sum")}
    columns |= {"lost": ("is_lost", "sum"), "empty": ("is_empty", "sum")}
    rows = fits.groupby(["data", "structure"], sort=False).agg(**columns)
    lost = fits[fits["is_lost"] | fits["is_empty"]]
    return {
        "total": {name: int(value) for name, value in rows.sum().items()},
        "rows": [
            {"data": data, "structure": STRUCTURES[structure]} | {name: int(value) for name, value in counts.items()}
            for (data, structure), counts in rows.iterrows()
        ],
        "lost": [
            place(fit, labels)
            | {
                "what": ", ".join(fit[["data", "definition", "subset", "structure", "contrast"]]),
                "trouble": ", ".join(["did not converge"] * fit["is_lost"] + ["no p-value"] * fit["is_empty"]),
                "note": fit["note"],
            }
            for _, fit in lost.iterrows()
        ],
        "said": [{"note": note, "n": n} for note, n in fits["note"].dropna().value_counts().items()],
    }


def powers(fits: pd.DataFrame) -> list[dict]:
    """One row per model: how many minimum detectable effects there are (`paper`), the least, median and greatest."""
    rows = fits[fits["mde"].notna() & (fits["definition"] == "paper")]
    sizes = rows.groupby("model", sort=False)["mde"].agg(["size", "min", "median", "max"])
    return [
        {"model": model, "n": int(sizes["size"]), **{key: text(sizes[key]) for key in ("min", "median", "max")}}
        for model, sizes in sizes.iterrows()
    ]


def uncertainty(fits: pd.DataFrame, tests: Mapping, title: str, section: str, of_fits: str) -> str:
    """What the room on uncertainty says about the fits of a part, as HTML: what they could have found, and how many did
    not converge.

    tests: `mixed_models.tests` of the configuration. title: of the part. section, of_fits: its sections with the
    numbers and with the problems of fits.
    """
    facts = {"title": title, "section": section, "of_fits": of_fits, "tests": tests, "powers": powers(fits)}
    return render(Path(__file__).parent, "fits_uncertainty.html.j2", facts | {"total": troubles(fits, {})["total"]})


def tested(section: str, settings: Mapping) -> Tested:
    """How the tidy numbers of all mixed models are tested. section: the one with more about them. settings:
    `mixed_models` of the configuration."""
    family = "all models and dimensions of one question: data, sentences, random effects, contrast"
    return Tested(METRIC, "Mixed effects", section, family, settings["tests"]["correction"])
