"""Differences of HERB between models and between continents, paired by replicate or by name (tidy numbers)."""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from herbarium.metrics.herb import crossed, score
from herbarium.metrics.herb.numbers import over_descriptions
from herbarium.statistics import paired
from herbarium.statistics.changes import as_changes, change
from herbarium.statistics.inference import Mean, above_zero, adjust
from herbarium.statistics.influences import variance_of_difference
from herbarium.statistics.paired import MINUS
from herbarium.statistics.tidy import tidy

OF_CROSSED = f"{crossed.VARIANT}_over_names"
_UNEQUAL = "it falls with the number of sub-regions, which differs between the sides: see the size-free variant"


def differences(
    numbers: pd.DataFrame, replicates: pd.DataFrame, regions: pd.DataFrame, level: float, method: str
) -> pd.DataFrame:
    """Tidy rows of metric "herb_differences", variant {C_w, ...}_over_descriptions.

    numbers: tidy rows of metric "herb" of every model. replicates: table "replicates" of every model
    (`numbers.replicates`); a replicate of one number uses the same draws for all, so that shared errors of two sides
    cancel. regions: table "regions"; the root and those below it are included if they have at least two sub-regions.
    level: coverage of the percentile intervals. method: of `inference.adjust`.

    Unit "models": model "{a} − {b}", group a region. One family of p-values per variant: all pairs of models and all
    regions. Unit "regions": group "{a} − {b}" of two regions below the root, by one model. One family per model and
    variant: all pairs. `n` is the number of sub-regions if it is the same on both sides, else null.

    Raises ValueError if the replicates of two models differ in number, so that they do not share their draws.
    """
    if replicates.groupby("model")["replicate"].nunique().nunique() > 1:
        raise ValueError("different numbers of replicates do not share their draws: models cannot be paired")
    numbers = numbers[(numbers["metric"] == "herb") & (numbers["definition"] == "paper")]
    models = numbers["model"].unique()  # one whose sentences were all refused has no replicates
    root = regions.loc[regions["parent"].isna(), "region"].item()
    has_pair = regions["region"].map(regions["parent"].value_counts()) >= 2
    below = regions.loc[has_pair & (regions["parent"] == root), "region"].tolist()
    # for each pair: the model and group of its row, and the (model, region) of its sides
    of_models = [
        (f"{a}{MINUS}{b}", region, (a, region), (b, region))
        for a, b in itertools.combinations(models, 2)
        for region in (root, *below)
    ]
    of_regions = [
        [(model, f"{a}{MINUS}{b}", (model, a), (model, b)) for a, b in itertools.combinations(below, 2)]
        for model in models
    ]
    families = [
        (unit, pairs) for unit, pairs in [("models", of_models), *(("regions", x) for x in of_regions)] if pairs
    ]

    tables = [pd.DataFrame()]  # with one model, or without replicates, there may be nothing to compare
    for variant in score.VARIANTS:
        drawn = over_descriptions(variant)
        values = replicates[replicates["variant"] == drawn]
        if values.empty:
            continue
        values = values.pivot(index="replicate", columns=["model", "group"], values="value")
        scores = numbers[numbers["variant"] == variant].set_index(["model", "group"])
        for unit, pairs in families:
            table = paired.family(
                pairs,
                scores,
                values,
                level,
                method,
                without_interval="a side has no replicates",
                unequal=_UNEQUAL if variant in ("C_w", "C_z") else None,
            )
            tables.append(table.assign(unit=unit, variant=drawn))
    rows = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()  # without replicates there are none
    return tidy(rows.assign(metric="herb_differences", definition="paper"), over="sub-regions")


def of_crossed(numbers: pd.DataFrame, influences: pd.DataFrame, level: float, method: str) -> pd.DataFrame:
    """Tidy rows of metric "herb_differences", variant D2_over_names: between models, region by region, paired by name.

    numbers: tidy rows of metric "herb_crossed" of every model. influences: table "influences" of every model. What
    names add equally to both sides cancels: the variance of a difference is the sum of the squared differences of
    influences. If neither side has a bias it is twice the true variance, so that the test rejects too rarely.
    level: of the normal intervals. One family of two-sided p-values: all pairs of models and all regions.
    """
    numbers = numbers[numbers["variant"] == crossed.VARIANT]
    sides = numbers.set_index(["model", "group"])
    by_name = influences.pivot(index=["group", "drawn"], columns="model", values="value").fillna(0.0)
    rows = []
    for (a, b), group in itertools.product(
        itertools.combinations(numbers["model"].unique(), 2), numbers["group"].unique()
    ):
        first, second = (sides.loc[(model, group)] for model in (a, b))
        row = {"model": f"{a}{MINUS}{b}", "group": group, "estimate": first["estimate"] - second["estimate"]}
        if np.isnan(row["estimate"]):
            rows.append(row | {"note": "a side was not measured"})
            continue
        of_names = by_name.loc[group]
        error = np.sqrt(variance_of_difference(of_names[b], of_names[a]))
        width = ndtri((1 + level) / 2) * error
        row |= {"std_error": error, "ci_low": row["estimate"] - width, "ci_high": row["estimate"] + width}
        row["p_value"] = above_zero(2 * ndtr(-abs(row["estimate"]) / error)) if error else np.nan
        rows.append(row | {"n": first["n"] if first["n"] == second["n"] else None})
    table = tidy(
        pd.DataFrame(rows).assign(metric="herb_differences", definition=crossed.DEFINITION, unit="models"), over="names"
    )
    table["variant"] = OF_CROSSED
    table["p_adjusted"] = adjust(table["p_value"].to_numpy(float), method)
    return table


def changes(
    compared: Sequence[Sequence[str]], numbers: pd.DataFrame, influences: pd.DataFrame, regions: pd.DataFrame
) -> pd.DataFrame:
    """Rows of the schema "changes": D² of the root, paired by name as in `of_crossed`.

    compared: of `models.comparisons`. numbers, influences: as for `of_crossed`. regions: table "regions".
    """
    root = regions.loc[regions["parent"].isna(), "region"].item()
    sides = numbers[(numbers["group"] == root) & (numbers["variant"] == crossed.VARIANT)].set_index("model")
    of_root = influences[influences["group"] == root]
    by_name = of_root.pivot(index="drawn", columns="model", values="value").fillna(0.0)
    rows = []
    for comparison in compared:
        before, after = (sides.loc[model] if model in by_name else None for model in comparison[2:])
        mean = None
        if before is not None and after is not None:
            variance = variance_of_difference(by_name[comparison[2]], by_name[comparison[3]])
            mean = Mean(after["estimate"] - before["estimate"], variance, np.inf)
        n = None if mean is None else after["n"]
        rows.append(change(comparison, crossed.METRIC, "HERB, D² between continents", before, after, mean, n=n))
    return as_changes(rows)
