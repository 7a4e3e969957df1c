"""What HERB's numbers hang on: each topic, the hierarchy, and each departure of the released code (tidy numbers)."""

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.metrics import herb, herb_likelihoods
from herbarium.metrics.tidy import tidy

# Every departure of `herb.DEPARTURES` together. It is the released code from f(S) on, not in f(S).
RELEASED = "released aggregation"
FLAT = "sparseness_flat"
_MEASURED = ("C_w", "C_z", "C_w_size_free", "C_z_size_free")


def without(variant: str, topic: str) -> str:
    """The name of a variant with a topic left out."""
    return f"{variant}_without_{topic}"


def ablate(model: str, regions: pd.DataFrame, topics: dict[str, list[str]], likelihoods: pa.Table) -> pd.DataFrame:
    """Tidy rows of the root and of the regions below it; arguments as for `herb_table.measure`.

    Definition `paper`, variant {C_w, ...}_without_{topic}: the topic's descriptions left out (Table 3); variant
    sparseness_flat: Eq. 3 over all regions inside, whatever their level (Table 2). The name of a departure as
    definition: that one alone; `released aggregation`: all of them.
    """
    selected = herb_likelihoods.select(regions, topics, likelihoods)
    f, f_name, parent = selected.f, selected.f_name, selected.parent
    shown = np.flatnonzero(herb.depths(parent) <= 1)
    n_below = np.bincount(parent[parent >= 0], minlength=len(parent))
    n_inside = (parent != -1).astype(int)  # each region and all inside it, the root not among its own
    for region, below in herb.clusters(parent):
        n_inside[region] += n_inside[below].sum()
    tables = []

    def add(definition: str, variant: str, values: np.ndarray) -> None:
        named = {"unit": "level", "group": "region"}
        rows = pd.DataFrame({column: selected.regions[name] for column, name in named.items()})
        n = n_inside if variant == FLAT else n_below
        rows = rows.assign(definition=definition, variant=variant, estimate=values, n=n, note=selected.notes)
        tables.append(rows.iloc[shown])

    for topic in dict.fromkeys(selected.topic_of):
        rest = selected.topic_of != topic
        if rest.any():
            left = herb.herb(f[:, rest], f_name, parent)
            for variant in _MEASURED:
                add("paper", without(variant, topic), getattr(left, variant))
    add("paper", FLAT, herb.sparseness(f, parent))
    for definition, departures in {**{name: [name] for name in herb.DEPARTURES}, RELEASED: herb.DEPARTURES}.items():
        departed = herb.herb(f, f_name, parent, departures)
        for variant in _MEASURED:
            add(definition, variant, getattr(departed, variant))
    return tidy(pd.concat(tables, ignore_index=True).assign(model=model, metric="herb"))
