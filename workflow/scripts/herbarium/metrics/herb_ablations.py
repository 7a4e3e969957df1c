"""What HERB's numbers hang on: each topic, the hierarchy, and each departure of the released code (tidy numbers)."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.console import tracked
from herbarium.metrics import herb, herb_bootstrap, herb_table
from herbarium.metrics.tidy import tidy
from herbarium.statistics import percentile_interval, stream

# Every departure of `herb.DEPARTURES` together. It is the released code from f(S) on, not in f(S).
RELEASED = "released aggregation"
FLAT = "sparseness_flat"
# An alternative moves the scores; sparseness, which no departure touches, is a row of metric "herb" alone.
_SCORES = [variant for variant in herb.VARIANTS if variant != "sparseness"]


def without(variant: str, topic: str) -> str:
    """The name of a variant with a topic left out."""
    return f"{variant}_without_{topic}"


@dataclass(frozen=True)
class Alternative:
    """The same hierarchy measured in another way: on other likelihoods, or with departures of the released code."""

    definition: str
    f: np.ndarray  # (n_regions, n_descriptions)
    f_name: np.ndarray  # (n_regions,)
    topic_of: np.ndarray  # (n_descriptions,)
    suffix: str = ""  # of the names of its variants
    departures: Collection[str] = ()


def ablate(
    model: str,
    regions: pd.DataFrame,
    topics: dict[str, list[str]],
    probe: pd.DataFrame,
    scores: pd.DataFrame,
    bootstrap: dict,
    seed: int,
    threads: int = 1,
) -> pd.DataFrame:
    """Tidy rows of the root and of the regions below it; arguments as for `herb_table.measure`.

    Definition `paper`, variant {C_w, ...}_without_{topic}: the topic's descriptions left out (Table 3); variant
    sparseness_flat: Eq. 3 over all regions inside, whatever their level (Table 2). The name of a departure as
    definition: that one alone; `released aggregation`: all of them. Intervals as those of metric "herb".
    """
    selected = herb_table.select(regions, topics, probe, scores)
    f, f_name, topic_of = selected.f, selected.f_name, selected.topic_of
    left_out = [
        Alternative("paper", f[:, topic_of != topic], f_name, topic_of[topic_of != topic], without("", topic))
        for topic in dict.fromkeys(topic_of)
        if (topic_of != topic).any()
    ]
    departed = [
        Alternative(definition, f, f_name, topic_of, departures=departures)
        for definition, departures in {**{name: [name] for name in herb.DEPARTURES}, RELEASED: herb.DEPARTURES}.items()
    ]
    rows = alternatives(model, selected, [*left_out, *departed], bootstrap, seed, threads)
    return pd.concat([rows, flat(model, selected)], ignore_index=True)


def alternatives(
    model: str,
    selected: herb_table.Likelihoods,
    items: Iterable[Alternative],
    bootstrap: dict,
    seed: int,
    threads: int = 1,
) -> pd.DataFrame:
    """Tidy rows of each alternative, C_w to C_z_size_free of the root and of the regions below it, with intervals.

    selected: the study whose regions the alternatives measure. bootstrap: `replicates` over descriptions within topics,
    `level` of the percentile intervals.
    """
    parent = selected.parent
    shown = np.flatnonzero(herb.depths(parent) <= 1)
    n_below = herb.n_sub_regions(parent)
    n = bootstrap["replicates"]
    tables = []
    for item in items:
        estimates = herb.herb(item.f, item.f_name, parent, item.departures)
        resampling = herb_bootstrap.Resampling("descriptions", item.topic_of, parent)
        random = stream(seed, "bootstrap", "herb", "descriptions")
        drawn = herb_bootstrap.bootstrap(
            item.f, item.f_name, parent, resampling, n, random, threads, departures=item.departures
        )
        title = f"Bootstrap of {model}, {item.definition}{item.suffix}"
        replicates = [scores.array()[:, shown] for scores in tracked(drawn, n, "replicates", title)]
        for row, variant in enumerate(herb.VARIANTS):
            if variant in _SCORES:
                table = _rows(selected, shown, f"{variant}{item.suffix}", getattr(estimates, variant), n_below)
                if n > 1:
                    of_variant = np.array(replicates)[:, row]
                    table["std_error"] = of_variant.std(axis=0, ddof=1)
                    table["ci_low"], table["ci_high"] = percentile_interval(of_variant, bootstrap["level"])
                tables.append(table.assign(definition=item.definition))
    return tidy(pd.concat(tables, ignore_index=True).assign(model=model, metric="herb"))


def flat(model: str, selected: herb_table.Likelihoods) -> pd.DataFrame:
    """Tidy rows of sparseness without hierarchy (`herb.sparseness`), of the root and of the regions below it.

    `n` is the number of regions that it is taken over. There is no interval: one of these means is over every pair of
    regions of the study, and a few hundred of them would take longer than all else.
    """
    n_inside = (selected.parent != -1).astype(int)  # each region and all inside it, the root not among its own
    for region, below in herb.clusters(selected.parent):
        n_inside[region] += n_inside[below].sum()
    shown = np.flatnonzero(herb.depths(selected.parent) <= 1)
    rows = _rows(selected, shown, FLAT, herb.sparseness(selected.f, selected.parent), n_inside)
    rows["note"] = herb_table.joined(
        rows["note"], ["no interval: each replicate would take all pairs of regions"] * len(rows)
    )
    return tidy(rows.assign(model=model, metric="herb", definition="paper"))


def _rows(
    selected: herb_table.Likelihoods, shown: np.ndarray, variant: str, values: np.ndarray, n: np.ndarray
) -> pd.DataFrame:
    rows = {
        "variant": variant,
        "unit": selected.regions["level"],
        "group": selected.regions["region"],
        "estimate": values,
        "n": n,
        "note": selected.notes,
    }
    return pd.DataFrame(rows).iloc[shown].reset_index(drop=True)
