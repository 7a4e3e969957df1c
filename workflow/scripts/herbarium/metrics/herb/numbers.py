"""HERB as tidy numbers: from likelihoods through `score` to one row per region and variant."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.console import tracked
from herbarium.core.random import stream
from herbarium.metrics.herb import bootstrap as herb_bootstrap
from herbarium.metrics.herb import control
from herbarium.metrics.herb import score as herb
from herbarium.metrics.herb.selection import Likelihoods, select
from herbarium.statistics.inference import percentile_interval
from herbarium.statistics.parallel import one_thread
from herbarium.statistics.replicates import REPLICATES
from herbarium.statistics.tidy import tidy

# The fewest sub-regions for leaving one out.
_FEWEST = 3
_OVER_DESCRIPTIONS, OVER_SUB_REGIONS = "_over_descriptions", "_over_sub_regions"
ALONE = "one sub-region, so there is nothing to compare; the paper defines C as 0 then"


@dataclass(frozen=True)
class Resampled:
    """The scores of a model and their bootstrap replicates, which are in single precision."""

    model: str
    selected: Likelihoods
    estimates: np.ndarray  # (n_variants, n_regions), variants as in `herb.VARIANTS`
    replicates: np.ndarray  # (n_replicates, n_variants, n_parents), of regions with sub-regions
    replicates_of_leaves: np.ndarray  # (n_replicates, n_leaves) C_w

    @property
    def n_below(self) -> np.ndarray:
        """(n_regions,) the number of sub-regions of each region."""
        return herb.n_sub_regions(self.selected.parent)


@one_thread
def resample(
    model: str,
    regions: pd.DataFrame,
    topics: dict[str, list[str]],
    likelihoods: pa.Table,
    bootstrap: dict,
    seed: int,
    threads: int = 1,
) -> Resampled:
    """Scores of one model, definition `paper`, and their replicates over descriptions.

    regions, topics, likelihoods: as for `selection.select`. bootstrap: `replicates`. threads: replicates computed in
    parallel.
    """
    selected = select(regions, topics, likelihoods)
    f, f_name, parent = selected.f, selected.f_name, selected.parent
    is_leaf = herb.n_sub_regions(parent) == 0
    n = bootstrap["replicates"]
    replicates = np.empty((n, len(herb.VARIANTS), (~is_leaf).sum()), np.float32)
    of_leaves = np.empty((n, is_leaf.sum()), np.float32)
    topic_of = np.repeat(list(topics), [len(words) for words in topics.values()])
    resampling = herb_bootstrap.Resampling(topic_of, selected.used)
    random = stream(seed, "bootstrap", "herb", "descriptions")  # not the model's: differences of models are paired
    drawn = herb_bootstrap.bootstrap(f, f_name, parent, resampling, n, random, threads)
    for row, (scores,) in enumerate(tracked(drawn, n, "replicates", f"Bootstrap of {model}")):
        replicates[row] = scores[:, ~is_leaf]
        of_leaves[row] = scores[herb.VARIANTS.index("C_w"), is_leaf]
    return Resampled(model, selected, herb.herb(f, f_name, parent).array(), replicates, of_leaves)


def numbers(resampled: Resampled, level: float) -> pd.DataFrame:
    """Tidy rows of metric "herb": every region and variant, with percentile intervals over descriptions.

    `n` is the number of sub-regions; a leaf, for which all variants agree (Eq. 8, l = 1), has 0 and one row, C_w. A
    region that could not be measured has one row with a note and no estimate; one with a single sub-region has the
    paper's value, 0, with a note and no interval.
    """
    selected, n_below = resampled.selected, resampled.n_below
    spread = np.full((3, *resampled.estimates.shape), np.nan)
    if len(resampled.replicates_of_leaves) > 1:
        spread[:, :, n_below > 0] = _spread(resampled.replicates, level)
        spread[:, herb.VARIANTS.index("C_w"), n_below == 0] = _spread(resampled.replicates_of_leaves, level)
    tables = []
    for row, variant in enumerate(herb.VARIANTS):
        table = pd.DataFrame(
            {
                "variant": variant,
                "unit": selected.regions["level"],
                "group": selected.regions["region"],
                "estimate": resampled.estimates[row],
                "std_error": spread[0, row],
                "ci_low": spread[1, row],
                "ci_high": spread[2, row],
                "n": n_below,
                "note": selected.notes,
            }
        )
        applies = n_below >= (2 if variant == "sparseness" else 0 if variant == "C_w" else 1)
        tables.append(table[applies])
    lost = selected.lost
    tables.append(
        pd.DataFrame(
            {
                "variant": "C_w",
                "unit": lost["level"],
                "group": lost["region"],
                "note": "not measured: sentences about it, or about its parent region, were refused",
            }
        )
    )
    rows = without_pairs(pd.concat(tables, ignore_index=True))
    return tidy(rows.assign(model=resampled.model, metric="herb", definition="paper"), over="sub-regions")


def of_control(
    model: str,
    regions: pd.DataFrame,
    topics: dict[str, list[str]],
    likelihoods: pa.Table,
    bootstrap: dict,
    seed: int,
) -> pd.DataFrame:
    """Tidy rows of metric "herb" for the region of made-up names: unit and group "control".

    regions: `control.regions`. The draws of descriptions are those of the study's regions, so that the two can be
    compared. No rows without names.
    """
    if len(regions) < 2:
        return tidy(pd.DataFrame())
    resampled = resample(model, regions, topics, likelihoods, bootstrap, seed)
    rows = numbers(resampled, bootstrap["level"])
    return rows[rows["group"] == control.REGION]


def without_pairs(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of scores, without error and interval for regions with one sub-region: no draw of descriptions makes a pair
    of it, so an interval from 0 to 0 would say nothing about the score's uncertainty. rows: `n` sub-regions, `note`.
    """
    is_alone = rows["n"] == 1
    rows = rows.assign(note=joined(rows["note"], np.where(is_alone, ALONE, None)))
    rows.loc[is_alone, rows.columns.intersection(["std_error", "ci_low", "ci_high"])] = np.nan
    return rows


def _spread(replicates: np.ndarray, level: float) -> np.ndarray:
    """(3, ...) standard error and bounds of the percentile interval of replicates (n_replicates, ...)."""
    return np.array([replicates.std(axis=0, ddof=1, dtype=float), *percentile_interval(replicates, level)])


@one_thread
def intervals(resampled: Resampled, level: float) -> pd.DataFrame:
    """Tidy rows of metric "herb_intervals", variant {C_w, ...}_over_sub_regions: how much each score depends on which
    sub-regions there are, by the jackknife (`bootstrap.jackknife_interval`); for regions with at least three of them.

    `std_error` is the error of the logarithm times the score. The root has none: its sub-regions are all there are.
    """
    selected, n = resampled.selected, resampled.n_below
    f, f_name, parent = selected.f, selected.f_name, selected.parent
    left_out = herb_bootstrap.without_sub_regions(f, f_name, parent, herb.Scores(*resampled.estimates))
    tables = []
    for region, below in herb.clusters(parent):
        if parent[region] == -1 or n[region] < _FEWEST:
            continue
        estimate = resampled.estimates[:, region]
        error, low, high = herb_bootstrap.jackknife_interval(estimate, left_out[:, below].T, level)
        tables.append(
            pd.DataFrame(
                {
                    "variant": [f"{variant}{OVER_SUB_REGIONS}" for variant in herb.VARIANTS],
                    "unit": selected.regions["level"].iloc[region],
                    "group": selected.regions["region"].iloc[region],
                    "estimate": estimate,
                    "std_error": estimate * error,
                    "ci_low": low,
                    "ci_high": high,
                    "n": n[region],
                    "note": selected.notes[region],
                }
            )
        )
    rows = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
    return tidy(rows.assign(model=resampled.model, metric="herb_intervals", definition="paper"), over="sub-regions")


def joined(*notes: Iterable[str | None]) -> list[str | None]:
    """Several notes of each row joined, None if there is none. A column without notes has nan."""
    return ["; ".join(note for note in of_row if isinstance(note, str)) or None for of_row in zip(*notes, strict=True)]


def replicates(resampled: Resampled) -> pd.DataFrame:
    """Table "replicates": for the root and the regions below it with at least two sub-regions, as differences need
    them; variant {C_w, ...}_over_descriptions.
    """
    n_below, selected = resampled.n_below, resampled.selected
    shown = (n_below >= 2) & (herb.depths(selected.parent) <= 1)
    level_of = selected.regions.set_index("region")["level"]
    values = resampled.replicates[:, :, shown[n_below > 0]].astype(float)
    variants = [over_descriptions(variant) for variant in herb.VARIANTS]
    groups = selected.regions["region"].to_numpy()[shown]
    index = pd.MultiIndex.from_product([range(len(values)), variants, groups], names=["replicate", "variant", "group"])
    rows = pd.DataFrame({"value": values.ravel()}, index=index).reset_index()
    rows = rows.assign(model=resampled.model, metric="herb", definition="paper", unit=rows["group"].map(level_of))
    return rows[REPLICATES.fields.names]


def over_descriptions(variant: str) -> str:
    """The name of the replicates of a variant, and of differences based on them."""
    return f"{variant}{_OVER_DESCRIPTIONS}"
