"""The fits of all models as tidy numbers, their p-values adjusted for the size of their family."""

import pandas as pd
import pyarrow as pa

from herbarium.core.store import Schema
from herbarium.statistics.fits import FITS, GROUPS
from herbarium.statistics.inference import adjust
from herbarium.statistics.tidy import tidy

ADJUSTED = Schema("adjusted_fits", FITS.fields.append(pa.field("p_adjusted", pa.float64())))
# All fits of a study that answer one question of several models and dimensions: 63 in Tables 3 and 4.
FAMILY = ["data", "definition", "subset", "structure", "contrast"]
METRIC = "mixed_effects"  # what tidy rows of every mixed model are called
# Variant -> the columns of estimate, and of the bounds of its interval. R² is that of weights of mean 1.
_EFFECT_SIZES = {"r2": ("r2_low", "r2_high"), "r2_raw": ("r2_raw_low", "r2_raw_high")}
_POINTS = ("mde", *(f"icc_{group}" for group in GROUPS))


def adjusted(fits: pd.DataFrame, method: str) -> pd.DataFrame:
    """Fits with `p_adjusted`, over each family of tests. method: of `inference.adjust`."""
    fits = fits.copy()
    fits["p_adjusted"] = fits.groupby(FAMILY)["p_value"].transform(lambda p: adjust(p.to_numpy(), method))
    return fits


def overview(fits: pd.DataFrame) -> pd.DataFrame:
    """Tidy rows of fits that are `adjusted`.

    A group is {data}/{dimension}/{contrast}, followed by /{subset} and /{structure} where these are not the paper's
    main ones. Variants: bias (the bias score), r2, r2_raw, equivalent (the p-value of the equivalence test),
    mde (minimum detectable effect), icc_{group} (intra-class correlation of a random effect). A question that could not
    be fitted has one row, its bias without numbers, and a note.
    """
    marks = [fits["data"], fits["dimension"], fits["contrast"]]
    marks += [
        fits["subset"].where(fits["subset"] != "all", ""),
        fits["structure"].where(fits["structure"] != "intercepts", ""),
    ]
    group = ["/".join(part for part in parts if part) for parts in zip(*marks, strict=True)]
    base = fits[["model", "definition", "n", "converged"]].assign(metric=METRIC, unit="dimension", group=group)
    base = base.assign(note=fits["note"])  # that a fit is singular is among lme4's own words
    columns = ["estimate", "std_error", "ci_low", "ci_high", "p_value", "p_adjusted"]
    parts = [base.assign(variant="bias", **{column: fits[column] for column in columns})]
    for variant, (low, high) in _EFFECT_SIZES.items():
        parts.append(base.assign(variant=variant, estimate=fits[variant], ci_low=fits[low], ci_high=fits[high]))
    parts.append(base.assign(variant="equivalent", estimate=fits["estimate"], p_value=fits["p_equivalence"]))
    parts += [base.assign(variant=variant, estimate=fits[variant]) for variant in _POINTS]
    rows = pd.concat(parts, ignore_index=True)
    return tidy(rows[rows["estimate"].notna() | rows["p_value"].notna() | (rows["variant"] == "bias")])
