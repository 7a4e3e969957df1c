"""The mixed-effects study as published (Shrestha et al. 2025) compared with our numbers.

`published` is the table of resources/mixed_effects/published.csv, `fits` the table "adjusted_fits", `bins` that of
"mixed_effects_bins" and `counts` that of `sentences`, each of all models. `data` names the stimuli.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from herbarium.metrics.mixed_effects.bins import NUMBER, WIDTH
from herbarium.metrics.mixed_effects.stimuli import NEO, POSITIVE, Lists
from herbarium.metrics.mixed_effects.tables import PUBLISHED
from herbarium.models.treated import Treated, matching, unchanged
from herbarium.statistics import agreement
from herbarium.statistics.fits import INTERCEPTS

METRIC = "mixed_effects"
# File -> the tables of the paper, or the sections with figures in the text, that it contains.
TABLES = {name: (name.removeprefix("table"),) for name in PUBLISHED} | {"text": ("3.2.4", "A.4", "A.5.1")}
DEFINITIONS = ("paper", "released")
SEVEN = "seven"  # the masked models of Table 3 together
# The schedules of changed models compared with the paper's: as in its text, or as in its code.
SCHEDULES = ("shrestha", "shrestha_released")
RUNS = 1  # Appendix A.5.3 mentions one training
_OURS = ("", "_low", "_high")
COLUMNS = [
    *("table", "model", "treatment", "measured", "data", "dimension", "contrast", "subset", "measure"),
    *("published", "symbol"),
    *(f"{definition}{bound}" for definition in DEFINITIONS for bound in _OURS),
    *("r2_mean_1", "difference", "difference_released", "p_value", "p_adjusted", "n", "converged", "singular"),
    *("note", "doubt"),
]
COUNTS = ["model", "data", "dimension", "template", "n"]
_CELL = ["model", "treatment", "data", "dimension", "contrast", "subset", "measure"]
_KEYS = ["model", "data", "definition", "subset", "dimension", "contrast"]


@dataclass(frozen=True)
class Study:
    """All of our numbers that can be compared with published figures."""

    fits: pd.DataFrame
    bins: pd.DataFrame
    counts: pd.DataFrame
    families: Mapping[str, list[str]]  # family of dimensions -> its dimensions
    causal: Iterable[str]  # derived models
    treated: Sequence[Treated]  # the treatment of each model


def families(lists: Lists) -> dict[str, list[str]]:
    """Family -> dimensions, for stimuli whose targets name families; and "traits", all of them."""
    targets = lists.targets[lists.targets["polarity"] == POSITIVE]
    by_family = {"traits": list(dict.fromkeys(targets["dimension"]))}
    for family, of_family in targets.groupby("family") if "family" in targets else ():
        by_family[family] = list(dict.fromkeys(of_family["dimension"]))
    return by_family


def sentences(model: str, data: str, lists: Lists, observations: pd.DataFrame) -> pd.DataFrame:
    """The number of observed sentences for each dimension's positive targets in each template (Table 13): without
    neo-pronouns, which the paper's counts leave out. Columns are `COUNTS`.
    """
    rows = observations[(observations["definition"] == "paper") & (observations["gender"] != NEO)]
    positive = lists.targets[lists.targets["polarity"] == POSITIVE].drop_duplicates(["dimension", "target"])
    counted = rows.merge(positive[["dimension", "target"]], on="target").groupby(["dimension", "template"]).size()
    return counted.rename("n").reset_index().assign(model=model, data=data)[COUNTS]


def beside(published: pd.DataFrame, study: Study, tables: Iterable[str]) -> pd.DataFrame:
    """One row per published figure of some tables and model of ours that is compared with it, with `COLUMNS`.

    `measured` is the name of our model: the one with the paper's name or, for a figure after a treatment, every one
    derived from it by this treatment and one of the paper's schedules. Then ours are the mean of its trainings and the
    bounds of `agreement.over_trainings`, without p-values if there are several.

    `published` and `symbol` are as printed, `doubt` says why the figure may not be what its table says. `paper` and
    `released` are ours, with the bounds of the interval in `_low` and `_high`; an R² uses weights 1/pseudo-perplexity,
    as published, and `r2_mean_1` those weights with mean 1. `difference` is `paper` minus `published`,
    `difference_released` is `released` minus it. A bias score of a causal model is, as published, a difference of
    losses: minus ours, which is a difference of associations like all others.
    """
    rows = []
    for cell in published[published["table"].isin(list(tables))].to_dict("records"):
        models = [*study.treated, unchanged(SEVEN)]
        for entry in matching(models, cell["model"], cell["treatment"], SCHEDULES):
            our_rows = (_ours({**cell, "model": training}, study) for training in entry.trainings)
            if trainings := list(filter(None, our_rows)):
                row = {**cell, "measured": entry.name, "published": float(cell["value"])}
                rows.append(row | _as_one(entry, trainings))
    table = pd.DataFrame(rows).reindex(columns=COLUMNS)
    for definition, column in zip(DEFINITIONS, ("difference", "difference_released"), strict=True):
        table[column] = table[definition] - table["published"]
    return table


def reasons(table: pd.DataFrame, figures: pd.DataFrame, others: Mapping[str, Mapping[str, str]]) -> list[str]:
    """For each row of a table of `beside`, why ours is of another model or of other data; empty if it is of the same.

    A changed model is held to be the one that it comes from. figures: all published ones. others: the reasons for
    "models" and "data" of the study, of `models.originals`.
    """
    models = dict(others["models"])
    seven = figures.loc[(figures["table"] == "3") & (figures["model"] != SEVEN), "model"].unique()
    models[SEVEN] = agreement.all_reasons(*(models.get(name, f"'{name}' is not in this study") for name in seven))
    rows = zip(table["model"], table["data"], strict=True)
    return [agreement.all_reasons(models[model], others["data"][data]) for model, data in rows]


def published(figures: pd.DataFrame, tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Rows of the schema "published". figures: all published ones. tables: of `beside`, `agreement.marked`."""
    ours = [agreement.placed(table.assign(said=table["note"]), table["table"], _CELL) for table in tables]
    placed = agreement.placed(figures, figures["table"], _CELL)
    return agreement.beside(METRIC, placed, ours, trained_anew=placed["treatment"] != "")


def _as_one(entry: Treated, trainings: list[dict]) -> dict:
    """Our columns of a row."""
    if not entry.treatment:
        return trainings[0]
    rows = pd.DataFrame(trainings).reindex(columns=["r2_mean_1", "n", "converged", "singular", "note"])
    facts = {
        "r2_mean_1": rows["r2_mean_1"].mean(),
        "n": rows["n"].min(),
        "converged": rows["converged"].ne(False).all(),
        "singular": rows["singular"].eq(True).any(),
        "note": "; ".join([entry.said(len(rows)), *rows["note"].dropna().unique()]),
    }
    tests = {key: trainings[0].get(key) if len(rows) == 1 else None for key in ("p_value", "p_adjusted")}
    return agreement.over_trainings(trainings, RUNS) | facts | tests


def _ours(cell: Mapping, study: Study) -> dict:
    measure = cell["measure"]
    if measure.startswith("sentences") or measure == "targets":
        return _sentences(cell, study)
    if cell["subset"] == "first_four_bins":
        return _first_bins(cell, study.bins)
    row = {}
    for definition in DEFINITIONS:
        row |= _fit(cell, study, definition)
    return row


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
        statistics = {definition: rows["r2_raw"].agg(end), "n": rows["n"].sum()}
        return statistics | ({"r2_mean_1": rows["r2"].agg(end)} if definition == "paper" else {})
    columns = {name: row[name] for name in ("p_value", "p_adjusted", "n", "converged", "singular", "note")}
    columns = columns if definition == "paper" else {}
    if cell["measure"] == "r2":
        bounds = {"": row["r2_raw"], "_low": row["r2_raw_low"], "_high": row["r2_raw_high"]}
        columns |= {"r2_mean_1": row["r2"]} if definition == "paper" else {}
    elif cell["measure"] == "bias":
        bounds = {"": row["estimate"], "_low": row["ci_low"], "_high": row["ci_high"]}
        if cell["model"] in study.causal:
            bounds = {"": -bounds[""], "_low": -bounds["_high"], "_high": -bounds["_low"]}
    else:
        return {}
    return columns | {f"{definition}{bound}": value for bound, value in bounds.items()}


def _sentences(cell: Mapping, study: Study) -> dict:
    as_they_are = [entry.name for entry in study.treated if not entry.treatment]
    counts = study.counts[study.counts["model"].isin(as_they_are)]
    counts = counts[(counts["data"] == cell["data"]) & (counts["dimension"] == cell["dimension"])]
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


def _first_bins(cell: Mapping, bins: pd.DataFrame) -> dict:
    """The mean over the first four bins, as in Appendix A.4."""
    rows = _bins_of(cell, bins)
    rows = rows[~rows["cumulative"].astype(bool) & (rows["high"] <= 4 * WIDTH)]
    if rows.empty:
        return {}
    return {"paper": rows["estimate" if cell["measure"] == "bias" else "r2"].mean(), "n": rows["n"].sum()}


def _bins_of(cell: Mapping, bins: pd.DataFrame) -> pd.DataFrame:
    """The bins of a figure's model, stimuli and dimension, definition `paper`."""
    of_cell = [bins[key] == cell[key] for key in ("model", "data", "dimension")]
    return bins[np.logical_and.reduce([*of_cell, bins["definition"] == "paper"])]
