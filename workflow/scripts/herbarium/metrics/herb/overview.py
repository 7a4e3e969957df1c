"""HERB's tidy numbers as tables to read: intervals by source, wordings, differences, the test of the hierarchy.

`numbers` are tidy rows of all models; `names` maps a region's identifier to its name.
"""

import re
from collections.abc import Mapping

import pandas as pd

from herbarium.metrics.herb import score
from herbarium.metrics.herb.ablations import METRIC, OF_COUNTRIES
from herbarium.metrics.herb.numbers import OVER_SUB_REGIONS
from herbarium.statistics.paired import MINUS

_INFERENCE = ["estimate", "std_error", "ci_low", "ci_high"]


def intervals(numbers: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """One row per model, region and score that has an interval over sub-regions: this interval, and the one over
    descriptions."""
    rows = _of(numbers, "herb_intervals", names)
    rows = rows.assign(variant=rows["variant"].str.removesuffix(OVER_SUB_REGIONS))
    key = ["model", "unit", "region", "variant"]
    plain = _of(numbers[numbers["definition"] == "paper"], "herb", names)[[*key, "ci_low", "ci_high"]]
    plain = plain.rename(columns={"ci_low": "descriptions_low", "ci_high": "descriptions_high"})
    rows = rows.rename(columns={"ci_low": "sub_regions_low", "ci_high": "sub_regions_high"})
    table = rows.merge(plain, how="left", on=key, validate="one_to_one")
    bounds = [f"{over}_{bound}" for over in ("sub_regions", "descriptions") for bound in ("low", "high")]
    return table[[*key, "name", "n", "estimate", *bounds]]


def wordings(numbers: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """HERB by template, pooled, its variance over templates, with other names, and its interval over names.

    `metric`: "herb", or "herb_of_countries" for what was measured without cities. Included is the score as published,
    over the same regions.
    """
    paper = numbers[numbers["definition"] == "paper"]
    rows = pd.concat([_of(paper, metric, names) for metric in (METRIC, OF_COUNTRIES)])
    variants = "|".join(score.VARIANTS)
    parts = rows["variant"].str.extract(
        rf"^(?P<of>{variants})_(?P<wording>template_.*|templates_.*|name_.*|over_names)$", flags=re.ASCII
    )
    is_plain = rows["variant"].isin(["C_w", "C_z", "C_w_size_free", "C_z_size_free"])
    rows = rows.assign(
        variant=parts["of"].where(~is_plain, rows["variant"]), wording=parts["wording"].where(~is_plain, "as published")
    )
    place = pd.MultiIndex.from_frame(rows[["metric", "region"]])
    shown = rows[rows["wording"].notna() & place.isin(place[rows["wording"].notna() & ~is_plain])]
    columns = ["metric", "model", "variant", "wording", "region", "name", *_INFERENCE, "n", "note"]
    return shown[columns].reset_index(drop=True)


def differences(numbers: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """Differences between models and between continents, with p-values."""
    rows = _of(numbers, "herb_differences", names)
    rows["name"] = [MINUS.join(names.get(side, side) for side in group.split(MINUS)) for group in rows["region"]]
    columns = ["unit", "model", "region", "name", "variant", *_INFERENCE, "p_value", "p_adjusted", "n", "note"]
    return rows[columns].reset_index(drop=True)


def hierarchy(numbers: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """Whether the regions of each level lie closer to their siblings than by chance."""
    rows = _of(numbers, "herb_hierarchy", names)
    columns = ["model", "unit", "variant", *_INFERENCE, "p_value", "p_adjusted", "n", "note"]
    return rows[columns].reset_index(drop=True)


def _of(numbers: pd.DataFrame, metric: str, names: Mapping[str, str]) -> pd.DataFrame:
    rows = numbers[numbers["metric"] == metric].rename(columns={"group": "region"})
    return rows.assign(name=rows["region"].map(names))
