"""Published figures of CrowS-Pairs and of a mixed model on it (Table 15 of Shrestha et al. 2025) compared with ours."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from herbarium.metrics.crows_pairs.score import CPS, N_PAIRS
from herbarium.metrics.crows_pairs.stimuli import PAPER
from herbarium.statistics import agreement
from herbarium.statistics.fits import INTERCEPTS

_STUDY = "mixed_effects"  # of which the table is
_CELL = ["model", "data", "dimension", "contrast", "subset", "measure"]
COLUMNS = [
    *("table", *_CELL, "published"),
    *("paper", "paper_low", "paper_high", "difference", "p_value", "p_adjusted", "n", "converged", "singular"),
    *("note", "doubt"),
]


def beside(figures: pd.DataFrame, fits: pd.DataFrame, cps: pd.DataFrame) -> pd.DataFrame:
    """One row per published figure that can be compared with the study, with `COLUMNS`.

    figures: of resources/crows_pairs/published.csv. fits: of the schema "adjusted_fits", of CrowS-Pairs. cps: tidy rows
    of the score.
    """
    rows = []
    for cell in figures.to_dict("records"):
        ours = _bias(cell, fits) if cell["measure"] == "bias" else _cps(cell, cps)
        if ours:
            rows.append({**cell, "published": float(cell["value"]), **ours})
    table = pd.DataFrame(rows).reindex(columns=COLUMNS)
    return table.assign(difference=table["paper"] - table["published"])


def reasons(table: pd.DataFrame, others: Mapping[str, Mapping[str, str]]) -> list[str]:
    """For each row of the table of `beside`, why ours is of another model or of other pairs; empty if it is of the
    same. others: the reasons for "models" and "data" of the study, of `models.originals`."""
    rows = zip(table["model"], table["data"], strict=True)
    return [agreement.all_reasons(others["models"][model], others["data"][data]) for model, data in rows]


def published(figures: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Rows of the schema "published". figures: all published ones. table: of `beside`, `agreement.marked`."""
    ours = agreement.placed(table.assign(said=table["note"]), table["table"], _CELL)
    return agreement.beside(_STUDY, agreement.placed(figures, figures["table"], _CELL), [ours])


def of_all_pairs(figures: pd.DataFrame, others: Mapping[str, Mapping[str, str]]) -> dict[tuple[str, float], float]:
    """The published score of all pairs, per cent, by model and number of pairs: the mean over the bias types, weighted
    by their pairs. The table does not print it, but each pair is of one type, so it follows. Only of models that are
    those of the table, if the pairs are. figures: of resources/crows_pairs/published.csv. others: as for `reasons`."""
    of_types = figures[figures["measure"].isin(["cps", "n"])].astype({"value": float})
    values = of_types.pivot(index=["model", "data", "dimension"], columns="measure", values="value")
    values = values.assign(preferred=values["cps"] * values["n"])
    sums = values.groupby(["model", "data"])[["n", "preferred"]].sum().reset_index()
    is_same = sums["model"].map(others["models"]).eq("") & sums["data"].map(others["data"]).eq("")
    return {(row.model, row.n): row.preferred / row.n for row in sums[is_same].itertuples()}


def _bias(cell: Mapping, fits: pd.DataFrame) -> dict:
    wanted = {**cell, "definition": "paper", "structure": INTERCEPTS}
    keys = ("model", "data", "definition", "subset", "structure", "dimension", "contrast")
    rows = fits[np.logical_and.reduce([fits[key] == wanted[key] for key in keys])]
    if rows.empty:
        return {}
    row = rows.iloc[0]
    statistics = {name: row[name] for name in ("p_value", "p_adjusted", "n", "converged", "singular", "note")}
    return statistics | {"paper": row["estimate"], "paper_low": row["ci_low"], "paper_high": row["ci_high"]}


def _cps(cell: Mapping, cps: pd.DataFrame) -> dict:
    variant = N_PAIRS if cell["measure"] == "n" else CPS
    is_cps = (cps["model"] == cell["model"]) & (cps["variant"] == variant) & (cps["definition"] == PAPER)
    rows = cps[is_cps & (cps["group"] == cell["dimension"])]
    if rows.empty:
        return {}
    row = rows.iloc[0]
    if cell["measure"] == "n":
        return {"paper": row["estimate"]}
    return {"paper": row["estimate"], "paper_low": row["ci_low"], "paper_high": row["ci_high"], "n": row["n"]}
