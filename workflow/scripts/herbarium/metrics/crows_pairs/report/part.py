"""The part of the page on CrowS-Pairs."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.crows_pairs.score import METRIC
from herbarium.report import fits as of_fits
from herbarium.report.numbers import number, p_text
from herbarium.report.part import CORRECTIONS, Part, Tested, render
from herbarium.statistics import randomisation
from herbarium.statistics.contrasts import ALL

_HERE = Path(__file__).parent
_NAME, SECTION = "CrowS-Pairs", "crows-pairs"
# Whose Table 15 is on them.
_PAPER = ("mixed_effects", "Mixed effects (Shrestha et al., 2025)", SECTION)


def part(numbers: pd.DataFrame, fits: pd.DataFrame, models: list[dict], settings: Mapping) -> Part:
    """numbers: tidy rows of the score. fits: of the schema "adjusted_fits", of CrowS-Pairs alone; may be empty. models:
    records. settings: `mixed_models` of the configuration.
    """
    labels = {model["name"]: style.label(model["name"], model["planted"]) for model in models}
    found = rows(numbers, fits, labels)
    facts = {
        "level": f"{100 * settings['bootstrap']['level']:g}",
        "correction": CORRECTIONS[settings["tests"]["correction"]],
        "rows": found,
        "all": [row for row in found if row["dimension"] == ALL],
        "is_fitted": len(fits) > 0,
    }
    return Part(
        name=METRIC,
        title="How often the more stereotypical of two sentences is preferred (CrowS-Pairs; Nangia et al., 2020)",
        sections=[(SECTION, _NAME)],
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", {}),
        tested=[Tested(METRIC, _NAME, SECTION)],
        models=models,
        papers=[_PAPER],
        uncertainty=of_fits.uncertainty(fits, settings["tests"], _NAME, SECTION, SECTION) if len(fits) else "",
    )


def rows(numbers: pd.DataFrame, fits: pd.DataFrame, labels: Mapping[str, str]) -> list[dict]:
    """One row per model and bias type: the published score, per cent of pairs, and the fit. Arguments as of `part`."""
    by_place = {(fit["model"], fit["dimension"]): fit for _, fit in fits.iterrows()}
    return [
        {
            "dimension": score["group"],
            "label": labels.get(score["model"], score["model"]),
            "n_pairs": int(score["n"]),
            "cps": number(score, scale=1) | {"note": None if pd.isna(score["note"]) else score["note"]},
            "p": p_text(score["p_value"], randomisation.least_p_value(max(score["n"], 1))),
            "fit": of_fits.row(by_place[key], labels)
            if (key := (score["model"], score["group"])) in by_place
            else None,
        }
        for _, score in numbers.iterrows()
    ]
