"""Differences of HERB between models and between continents, paired by replicate (tidy numbers)."""

import itertools
from collections.abc import Mapping

import pandas as pd

from herbarium.metrics.herb import score
from herbarium.statistics import paired
from herbarium.statistics.paired import MINUS
from herbarium.statistics.tidy import tidy

_UNEQUAL = "it falls with the number of sub-regions, which is not one for both sides: see the size-free variant"


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
    for over, variant in itertools.product(drawn["over"].unique(), score.VARIANTS):
        scores = numbers[numbers["variant"] == variant].set_index(["model", "group"])
        values = drawn[(drawn["over"] == over) & (drawn["variant"] == variant)]
        values = values.pivot(index="replicate", columns=["model", "region"], values="value")
        for unit, pairs in families:
            table = paired.family(
                pairs,
                scores,
                values,
                level,
                method,
                without_interval="a side has too few sub-regions for an interval",
                unequal=_UNEQUAL if variant in ("C_w", "C_z") else None,
            )
            tables.append(table.assign(unit=unit, variant=f"{variant}_over_{over}"))
    rows = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()  # without replicates there are none
    return tidy(rows.assign(metric="herb_differences", definition="paper"))
