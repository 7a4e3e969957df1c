"""Differences of HERB between models and between continents, paired by replicate (tidy numbers)."""

import itertools
from collections.abc import Mapping

import numpy as np
import pandas as pd

from herbarium.metrics import herb
from herbarium.metrics.inference import adjust, bootstrap_p_value
from herbarium.metrics.tidy import tidy
from herbarium.statistics import percentile_interval

# Between the two sides of a difference; no name of a model and no identifier of a region holds it.
MINUS = " − "


def differences(
    numbers: pd.DataFrame, replicates: Mapping[str, pd.DataFrame], regions: pd.DataFrame, level: float, method: str
) -> pd.DataFrame:
    """Tidy rows of metric "herb_differences", variant {C_w, ...}_over_{descriptions, ...}.

    numbers: tidy rows of metric "herb" of every model. replicates: model -> table "herb_replicates"; a replicate of one
    number is of the same draws for all (`herb_bootstrap`), so that what two sides share cancels. regions: table
    "regions"; the root and those below it take part that have two sub-regions or more. level: coverage of the
    percentile intervals. method: of `inference.adjust`.

    Unit "models": model "{a} − {b}", group a region. One family of p-values is a variant's, over all pairs of models
    and all regions. Unit "regions": group "{a} − {b}" of two regions below the root, by one model. One family is a
    model's and variant's, over all pairs. `n` is the number of sub-regions where it is one for both sides, else null.

    Raises ValueError where the replicates of two models differ in number, so that they are not of the same draws.
    """
    if len({table["replicate"].nunique() for table in replicates.values()}) > 1:
        raise ValueError("replicates of different numbers are not of the same draws: models cannot be paired")
    root = regions.loc[regions["parent"].isna(), "region"].item()
    has_pair = regions["region"].map(regions["parent"].value_counts()) >= 2
    below = regions.loc[has_pair & (regions["parent"] == root), "region"].tolist()
    # of each pair: the model and group of its row, and the (model, region) of its sides
    of_models = [
        (f"{a}{MINUS}{b}", region, (a, region), (b, region))
        for a, b in itertools.combinations(replicates, 2)
        for region in (root, *below)
    ]
    of_regions = [
        [(model, f"{a}{MINUS}{b}", (model, a), (model, b)) for a, b in itertools.combinations(below, 2)]
        for model in replicates
    ]
    families = [
        (unit, pairs) for unit, pairs in [("models", of_models), *(("regions", x) for x in of_regions)] if pairs
    ]

    numbers = numbers[(numbers["metric"] == "herb") & (numbers["definition"] == "paper")]
    drawn = pd.concat(replicates, names=["model"]).reset_index("model")
    tables = [pd.DataFrame()]  # with one model, or without replicates, there may be nothing to compare
    for over, variant in itertools.product(drawn["over"].unique(), herb.VARIANTS):
        scores = numbers[numbers["variant"] == variant].set_index(["model", "group"])
        values = drawn[(drawn["over"] == over) & (drawn["variant"] == variant)]
        values = values.pivot(index="replicate", columns=["model", "region"], values="value")
        for unit, pairs in families:
            table = pd.DataFrame(pairs, columns=["model", "group", "a", "b"])
            first, second = (scores.reindex(table[side].tolist()) for side in ("a", "b"))
            table["estimate"] = first["estimate"].to_numpy() - second["estimate"].to_numpy()
            table["n"] = first["n"].where(first["n"].to_numpy() == second["n"].to_numpy()).to_numpy()
            a, b = (values.reindex(columns=pd.MultiIndex.from_tuples(table[side])).to_numpy() for side in ("a", "b"))
            table = table.drop(columns=["a", "b"]).assign(unit=unit, variant=f"{variant}_over_{over}")
            tables.append(_inferred(table, a - b, level, method))
    rows = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()  # without replicates there are none
    return tidy(rows.assign(metric="herb_differences", definition="paper"))


def _inferred(table: pd.DataFrame, differences: np.ndarray, level: float, method: str) -> pd.DataFrame:
    """A family's rows with intervals and p-values. differences: (n_replicates, n_rows), nan where there are none."""
    has_replicates = np.isfinite(differences).all(axis=0)
    table["std_error"] = differences.std(axis=0, ddof=1)
    table["ci_low"], table["ci_high"] = percentile_interval(differences, level)
    table["p_value"] = np.where(has_replicates, bootstrap_p_value(differences), np.nan)
    table["p_adjusted"] = adjust(table["p_value"].to_numpy(), method)
    unequal = table["n"].isna() & table["variant"].str.match("C_[wz]_over")
    table["note"] = np.select(
        [table["estimate"].isna(), ~has_replicates, unequal, table["p_value"] <= 2 / (1 + len(differences))],
        [
            "a side was not measured",
            "a side has too few sub-regions for an interval",
            "it falls with the number of sub-regions, which is not one for both sides: see the size-free variant",
            f"p is the least that {len(differences)} replicates can give",
        ],
        None,
    )
    return table
