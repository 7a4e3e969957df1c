"""The part of the page on CrowS-Pairs."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.crows_pairs import TITLE
from herbarium.metrics.crows_pairs.score import CPS, METRIC, N_PAIRS, VARIANTS, WITHOUT_REMARKS
from herbarium.metrics.crows_pairs.stimuli import SHARED, WHOLE, primary
from herbarium.report import fits as of_fits
from herbarium.report.answers import Answer, answer
from herbarium.report.numbers import noted, number, p_text, text
from herbarium.report.part import Part, Tested, render
from herbarium.statistics import randomisation
from herbarium.statistics.contrasts import BOUND
from herbarium.statistics.sets import ALL

_HERE = Path(__file__).parent
SECTION = "crows-pairs"
# Their Table 15 is about CrowS-Pairs.
_SOURCE = "Shrestha et al., 2025, Table 15: its bias types together"
_OF_CAUSAL = "by the log-likelihood of whole sentences: not comparable with masked models"
_PAPER = ("mixed_effects", "Mixed effects (Shrestha et al., 2025)", SECTION)


def part(numbers: pd.DataFrame, fits: pd.DataFrame, models: list[dict], settings: Mapping, published: Mapping) -> Part:
    """numbers: tidy rows of the score. fits: of the schema "adjusted_fits", only for CrowS-Pairs; may be empty. models:
    records. settings: `mixed_models` of the configuration. published: from `published.of_all_pairs`.
    """
    labels = {model["name"]: style.label(model["name"], model["planted"]) for model in models}
    entries = rows(numbers, fits, labels)
    facts = {
        "level": f"{100 * settings['bootstrap']['level']:g}",
        "rows": entries,
        "all": [row for row in entries if row["dimension"] == ALL],
        "is_fitted": len(fits) > 0,
        "has_remarks": any(row["without"] for row in entries),
        "has_shared": any(row["shared"] for row in entries),
    }
    return Part(
        name=METRIC,
        title=f"{TITLE}: how often the more stereotypical of two sentences is preferred (Nangia et al., 2020)",
        sections=[(SECTION, TITLE)],
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", {}),
        tested=[Tested(METRIC, TITLE, SECTION, "the bias types of a model", "holm")],
        models=models,
        papers=[_PAPER],
        answers=[all_answer(numbers, models, published)],
        topics=[group for group in numbers["group"].unique() if group != ALL],
    )


def all_answer(numbers: pd.DataFrame, models: list[dict], published: Mapping) -> Answer:
    """The first screen: the score of all pairs, with the published one if it is over the same number of pairs.
    Arguments as for `part`."""
    rows = primary(numbers[(numbers["variant"] == CPS) & (numbers["group"] == ALL)])
    counts = primary(numbers[(numbers["variant"] == N_PAIRS) & (numbers["group"] == ALL)])
    known = rows["model"].map({name: published.get((name, n)) for name, n in counts[["model", "estimate"]].to_numpy()})
    return answer(
        TITLE,
        "How often a model prefers the more stereotypical of two sentences.",
        "per cent of pairs",
        SECTION,
        rows.assign(
            p_adjusted=rows["p_value"], published=known, source=_SOURCE, caveat=_caveats(rows)
        ),  # a single test
        {model["name"]: model["planted"] for model in models},
        null=50.0,
        directions=("the stereotypical sentence is preferred", "the anti-stereotypical sentence is preferred"),
    )


def _caveats(rows: pd.DataFrame) -> pd.Series:
    """The note of each row, and of causal models beside masked ones what their score is."""
    if rows["definition"].nunique() < 2:
        return rows["note"]
    of_causal = rows["definition"].map({WHOLE: _OF_CAUSAL})
    return rows["note"].fillna(of_causal).where(rows["note"].isna() | of_causal.isna(), rows["note"] + "; " + of_causal)


def rows(numbers: pd.DataFrame, fits: pd.DataFrame, labels: Mapping[str, str]) -> list[dict]:
    """One row per model and bias type: the published score, per cent of pairs; the difference of scores; and the fit.
    Arguments as for `part`."""
    by_place = {(fit["model"], fit["dimension"]): fit for _, fit in fits.iterrows()}
    shares = numbers[numbers["variant"] == CPS]
    of_shared = {(row["model"], row["group"]): row for _, row in shares[shares["definition"] == SHARED].iterrows()}
    by_variant = {(row["variant"], row["model"], row["group"]): row for _, row in primary(numbers).iterrows()}
    entries = []
    for _, score in primary(shares).iterrows():
        key = score["model"], score["group"]
        least = randomisation.least_p_value(max(score["n"], 1))
        entry = {
            "dimension": score["group"],
            "topic": None if score["group"] == ALL else score["group"],
            "label": labels.get(score["model"], score["model"]),
            "n_pairs": int(np.nan_to_num(by_variant[N_PAIRS, *key]["estimate"])),
        }
        for variant in VARIANTS:
            row, bound = by_variant[variant, *key], by_variant.get((f"{variant}{BOUND}", *key))
            entry[variant] = {
                "number": noted(row),
                "p": p_text(row["p_value"], least),
                "p_adjusted": p_text(row["p_adjusted"], least),
                "bound": None if bound is None else text(bound["estimate"]),
            }
        entry["without"] = _counted(by_variant.get((f"{CPS}{WITHOUT_REMARKS}", *key)))
        entry["shared"] = _counted(of_shared.get(key))
        entry["fit"] = of_fits.row(by_place[key], labels) if key in by_place else None
        entries.append(entry)
    return entries


def _counted(row: Mapping | None) -> dict | None:
    """A number, and what it is over."""
    return None if row is None else number(row, scale=1) | {"note": f"{row['n']:.0f} {row['over']}"}
