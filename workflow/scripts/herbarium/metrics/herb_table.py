"""HERB as tidy numbers: from likelihoods through `metrics.herb` to one row a region and variant."""

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.console import tracked
from herbarium.metrics import herb
from herbarium.metrics.herb_likelihoods import select
from herbarium.metrics.tidy import tidy
from herbarium.statistics import percentile_interval, stream

VARIANTS = ("C_w", "C_z", "C_w_size_free", "C_z_size_free", "sparseness")


def measure(
    model: str,
    regions: pd.DataFrame,
    topics: dict[str, list[str]],
    likelihoods: pa.Table,
    bootstrap: dict,
    seed: int,
    threads: int = 1,
) -> pd.DataFrame:
    """The tidy rows of one model, definition `paper`.

    regions, topics, likelihoods: as for `herb_likelihoods.select`. bootstrap: `replicates` over descriptions
    within topics, `level` of the intervals.

    `n` is the number of sub-regions; a leaf, for which all variants agree (Eq. 8, l = 1), has 0 and one row, C_w. A
    region that could not be measured has one row without estimate, and a note.
    """
    selected = select(regions, topics, likelihoods)
    f, f_name, parent = selected.f, selected.f_name, selected.parent
    n_below = np.bincount(parent[parent >= 0], minlength=len(parent))
    estimates = herb.herb(f, f_name, parent)
    random = stream(seed, "bootstrap", "herb", model)
    n = bootstrap["replicates"]
    replicates = herb.bootstrap(f, f_name, parent, selected.topic_of, n, random, threads)
    replicates = list(tracked(replicates, n, "replicates", f"Bootstrap of {model}"))

    tables = []
    for variant in VARIANTS:
        table = pd.DataFrame(
            {
                "variant": variant,
                "unit": selected.regions["level"],
                "group": selected.regions["region"],
                "estimate": getattr(estimates, variant),
                "n": n_below,
                "note": selected.notes,
            }
        )
        if n > 1:
            drawn = np.array([getattr(scores, variant) for scores in replicates])
            table["std_error"] = drawn.std(axis=0, ddof=1)
            table["ci_low"], table["ci_high"] = percentile_interval(drawn, bootstrap["level"])
        applies = n_below >= (2 if variant == "sparseness" else 0 if variant == "C_w" else 1)
        tables.append(table[applies])
    lost = selected.lost
    tables.append(
        pd.DataFrame(
            {
                "variant": "C_w",
                "unit": lost["level"],
                "group": lost["region"],
                "note": "not measured: sentences on it, or on the region it lies in, were refused",
            }
        )
    )
    return tidy(pd.concat(tables, ignore_index=True).assign(model=model, metric="herb", definition="paper"))
