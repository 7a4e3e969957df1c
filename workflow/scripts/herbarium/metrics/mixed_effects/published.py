"""The mixed-effects study as published (Shrestha et al. 2025) beside our numbers.

`published` is the table of resources/published/mixed_effects.csv, `fits` the table "mixed_effects_adjusted" of all
models, `bins` that of "mixed_effects_bins", `counts` that of `sentences`, `cps` tidy rows of CrowS-Pairs.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from herbarium.metrics.mixed_effects.bins import NUMBER, WIDTH
from herbarium.metrics.mixed_effects.stimuli import NEO, POSITIVE, Lists
from herbarium.statistics.fits import INTERCEPTS

# File -> the tables of the paper, or the sections of figures in the text, that stand in it.
TABLES = {
    **{f"table{number}": (number,) for number in ("2", "3", "4", "5", "6", "7", "13", "14", "15")},
    "text": ("3.2.4", "A.4", "A.5.1"),
}
DEFINITIONS = ("paper", "released")
_OURS = ("", "_low", "_high")
COLUMNS = [
    *("table", "model", "probe", "dimension", "contrast", "subset", "measure", "published", "symbol"),
    *(f"{definition}{bound}" for definition in DEFINITIONS for bound in _OURS),
    *("r2_mean_1", "difference", "difference_released", "p_value", "p_adjusted", "n", "converged", "singular"),
    *("note", "doubt"),
]
COUNTS = ["model", "probe", "dimension", "template", "n"]
_KEYS = ["model", "probe", "definition", "subset", "dimension", "contrast"]


@dataclass(frozen=True)
class Study:
    """All of ours that a published figure can stand beside."""

    fits: pd.DataFrame
    bins: pd.DataFrame
    counts: pd.DataFrame
    cps: pd.DataFrame
    families: Mapping[str, list[str]]  # family of dimensions -> its dimensions
    causal: Iterable[str]  # models that are


def families(lists: Lists) -> dict[str, list[str]]:
    """Family -> dimensions, of a probe whose targets name families; and "traits", all of them."""
    targets = lists.targets[lists.targets["polarity"] == POSITIVE]
    found = {"traits": list(dict.fromkeys(targets["dimension"]))}
    for family, of_family in targets.groupby("family") if "family" in targets else ():
        found[family] = list(dict.fromkeys(of_family["dimension"]))
    return found


def sentences(model: str, probe: str, lists: Lists, observations: pd.DataFrame) -> pd.DataFrame:
    """How many sentences are observed of each dimension's positive targets in each template (Table 13): without
    neo-pronouns, which the paper's counts leave out. Columns are `COUNTS`.
    """
    rows = observations[(observations["definition"] == "paper") & (observations["gender"] != NEO)]
    positive = lists.targets[lists.targets["polarity"] == POSITIVE].drop_duplicates(["dimension", "target"])
    counted = rows.merge(positive[["dimension", "target"]], on="target").groupby(["dimension", "template"]).size()
    return counted.rename("n").reset_index().assign(model=model, probe=probe)[COUNTS]


def beside(published: pd.DataFrame, study: Study, tables: Iterable[str]) -> pd.DataFrame:
    """One row a published figure of some tables that the study has something to put beside, with `COLUMNS`.

    `published` and `symbol` are as printed, `doubt` says why the figure may not be what its table says. `paper` and
    `released` are ours, with the bounds of the interval in `_low` and `_high`; an R² is of weights 1/pseudo-perplexity,
    as published, and `r2_mean_1` of those weights with the mean 1. `difference` is `paper` minus `published`,
    `difference_released` is `released` minus it. A bias score of a causal model is, as published, a difference of
    losses: minus ours, which is one of associations like all others.
    """
    rows = []
    for cell in published[published["table"].isin(list(tables))].to_dict("records"):
        ours = _ours(cell, study)
        if ours:
            rows.append({**cell, "published": float(cell["value"]), **ours})
    table = pd.DataFrame(rows).reindex(columns=COLUMNS)
    for definition, column in zip(DEFINITIONS, ("difference", "difference_released"), strict=True):
        table[column] = table[definition] - table["published"]
    return table


def _ours(cell: Mapping, study: Study) -> dict:
    measure = cell["measure"]
    if measure.startswith("sentences") or measure == "targets":
        return _sentences(cell, study)
    if measure in ("cps", "n"):
        return _cps(cell, study.cps)
    if cell["subset"] == "first_four_bins":
        return _first_bins(cell, study.bins)
    found = {}
    for definition in DEFINITIONS:
        found |= _fit(cell, study, definition)
    return found


def _fit(cell: Mapping, study: Study, definition: str) -> dict:
    dimensions = study.families.get(cell["dimension"], [cell["dimension"]])
    fits = study.fits[study.fits["structure"] == INTERCEPTS]
    wanted = {**cell, "definition": definition}
    rows = fits[np.logical_and.reduce([fits[key] == wanted[key] for key in _KEYS if key != "dimension"])]
    rows = rows[rows["dimension"].isin(dimensions)]
    if rows.empty:
        return {}
    row = rows.iloc[0]
    if cell["measure"] in ("r2_low", "r2_high"):  # ends of the range over dimensions
        end = "min" if cell["measure"] == "r2_low" else "max"
        found = {definition: rows["r2_raw"].agg(end), "n": rows["n"].sum()}
        return found | ({"r2_mean_1": rows["r2"].agg(end)} if definition == "paper" else {})
    said = {name: row[name] for name in ("p_value", "p_adjusted", "n", "converged", "singular", "note")}
    said = said if definition == "paper" else {}
    if cell["measure"] == "r2":
        bounds = {"": row["r2_raw"], "_low": row["r2_raw_low"], "_high": row["r2_raw_high"]}
        said |= {"r2_mean_1": row["r2"]} if definition == "paper" else {}
    elif cell["measure"] == "bias":
        bounds = {"": row["estimate"], "_low": row["ci_low"], "_high": row["ci_high"]}
        if cell["model"] in study.causal:
            bounds = {"": -bounds[""], "_low": -bounds["_high"], "_high": -bounds["_low"]}
    else:
        return {}
    return said | {f"{definition}{bound}": value for bound, value in bounds.items()}


def _sentences(cell: Mapping, study: Study) -> dict:
    counts = study.counts[(study.counts["probe"] == cell["probe"]) & (study.counts["dimension"] == cell["dimension"])]
    if cell["measure"] in ("sentences", "sentences_percent"):
        counts = counts[counts["model"] == cell["model"]]
        bins = _bins_of(cell, study.bins)
        bins = bins[bins["cumulative"].astype(bool) & (bins["high"] == NUMBER * WIDTH)]
        if counts.empty or bins.empty:
            return {}
        return {"paper": counts["n"].sum() if cell["measure"] == "sentences" else 100 * bins["share"].iloc[0]}
    of_template = counts[counts["template"] == cell["subset"]]["n"]
    if cell["measure"] == "targets" or of_template.empty:
        return {}
    value = of_template.mean() if cell["measure"] == "sentences_mean" else of_template.std()
    n = len(of_template)
    return {"paper": value, "n": n, "note": f"of {n} {'model' if n == 1 else 'models'}"}


def _cps(cell: Mapping, cps: pd.DataFrame) -> dict:
    rows = cps[(cps["model"] == cell["model"]) & (cps["group"] == cell["dimension"])]
    if rows.empty:
        return {}
    row = rows.iloc[0]
    if cell["measure"] == "n":
        return {"paper": row["n"]}
    return {"paper": row["estimate"], "paper_low": row["ci_low"], "paper_high": row["ci_high"], "n": row["n"]}


def _first_bins(cell: Mapping, bins: pd.DataFrame) -> dict:
    """The mean over the first four bins, as Appendix A.4 has it."""
    rows = _bins_of(cell, bins)
    rows = rows[~rows["cumulative"].astype(bool) & (rows["high"] <= 4 * WIDTH)]
    if rows.empty:
        return {}
    return {"paper": rows["estimate" if cell["measure"] == "bias" else "r2"].mean(), "n": rows["n"].sum()}


def _bins_of(cell: Mapping, bins: pd.DataFrame) -> pd.DataFrame:
    """The bins of a figure's model, probe and dimension, definition `paper`."""
    of_cell = [bins[key] == cell[key] for key in ("model", "probe", "dimension")]
    return bins[np.logical_and.reduce([*of_cell, bins["definition"] == "paper"])]
