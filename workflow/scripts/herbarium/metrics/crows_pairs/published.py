"""Published figures of CrowS-Pairs and of a mixed model on it (Table 15 of Shrestha et al. 2025) compared with ours."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from herbarium.metrics.crows_pairs.score import CPS
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


def published(figures: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Rows of the schema "published". figures: all published ones. table: of `beside`."""
    ours = agreement.placed(table.assign(said=table["note"]), table["table"], _CELL)
    return agreement.beside(_STUDY, agreement.placed(figures, figures["table"], _CELL), [ours])


def of_all_pairs(figures: pd.DataFrame) -> dict[tuple[str, float], float]:
    """The published score of all pairs, per cent, by model and number of pairs: the mean over the bias types, weighted
    by their pairs. The table does not print it, but each pair is of one type, so it follows. figures: of
    resources/crows_pairs/published.csv."""
    of_types = figures[figures["measure"].isin(["cps", "n"])]
    values = of_types.astype({"value": float}).pivot(index=["model", "dimension"], columns="measure", values="value")
    by_model = values.assign(preferred=values["cps"] * values["n"]).groupby("model")[["n", "preferred"]].sum()
    return {(model, n): preferred / n for model, n, preferred in by_model.itertuples()}


def _bias(cell: Mapping, fits: pd.DataFrame) -> dict:
    wanted = {**cell, "definition": "paper", "structure": INTERCEPTS}
    keys = ("model", "data", "definition", "subset", "structure", "dimension", "contrast")
    rows = fits[np.logical_and.reduce([fits[key] == wanted[key] for key in keys])]
    if rows.empty:
        return {}
    row = rows.iloc[0]
    said = {name: row[name] for name in ("p_value", "p_adjusted", "n", "converged", "singular", "note")}
    return said | {"paper": row["estimate"], "paper_low": row["ci_low"], "paper_high": row["ci_high"]}


def _cps(cell: Mapping, cps: pd.DataFrame) -> dict:
    is_cps = (cps["model"] == cell["model"]) & (cps["variant"] == CPS)
    rows = cps[is_cps & (cps["group"] == cell["dimension"])]
    if rows.empty:
        return {}
    row = rows.iloc[0]
    if cell["measure"] == "n":
        return {"paper": row["n"]}
    return {"paper": row["estimate"], "paper_low": row["ci_low"], "paper_high": row["ci_high"], "n": row["n"]}
