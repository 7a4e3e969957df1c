"""The fits of all models as tidy numbers, their p-values adjusted for the size of their family."""

import pandas as pd
import pyarrow as pa

from herbarium.core.store import Schema
from herbarium.statistics.fits import CROSSED, FITS, GROUPS, INTERCEPTS, PAIRS, WORDS
from herbarium.statistics.inference import adjust
from herbarium.statistics.tidy import tidy

_ADJUSTED = {"p_value": "p_adjusted", "p_equivalence": "p_equivalence_adjusted"}
ADJUSTED = Schema(
    "adjusted_fits", pa.schema([*FITS.fields, *((pa.field(column, pa.float64())) for column in _ADJUSTED.values())])
)
# All fits of a study that answer one question of several models and dimensions: 63 in Tables 3 and 4.
FAMILY = ["data", "definition", "subset", "structure", "contrast"]
METRIC = "mixed_effects"  # the metric in tidy rows of every mixed model
BIAS = "bias"  # the variant of the bias score
# Variant -> the columns of its estimate and interval bounds. R² is for weights of mean 1.
_EFFECT_SIZES = {"r2": ("r2_low", "r2_high"), "r2_raw": ("r2_raw_low", "r2_raw_high")}
# Structure -> why its p-value of the bias score is not evidence; resources/mixed_effects/validity.csv has the shares.
_INSTEAD = "the tested score is that over crossed words, the group without a structure"
WITHDRAWN = {
    INTERCEPTS: "do not use this p-value: the model takes all sentences of a word as independent, and rejects in 62 to "
    f"88 % of simulated studies without bias; {_INSTEAD}",
    PAIRS: f"do not use this p-value: the model takes all sentences of a word as independent; {_INSTEAD}",
    WORDS: "do not use this p-value: the model takes words to vary alike in both groups, and groups to differ alike in "
    f"all templates; where they do not, it rejects in up to 66 % of simulated studies without bias; {_INSTEAD}",
}
_POINTS = ("equivalence_bound", "mde", *(f"icc_{group}" for group in GROUPS))


def adjusted(fits: pd.DataFrame, method: str) -> pd.DataFrame:
    """Fits with adjusted p-values, over each family of tests. method: of `inference.adjust`."""
    families = fits.groupby(FAMILY)
    of_all = {
        name: families[column].transform(lambda p: adjust(p.to_numpy(), method)) for column, name in _ADJUSTED.items()
    }
    return fits.assign(**of_all)


def overview(fits: pd.DataFrame) -> pd.DataFrame:
    """Tidy rows of fits that are `adjusted`.

    A group is {data}/{dimension}/{contrast}, followed by /{subset} and /{structure} if these are not the main ones,
    `all` and `crossed`. Variants: bias (the bias score), r2, r2_raw, equivalent (interval and p-value of the
    equivalence test), equivalence_bound (the smallest bound for which it would be significant), mde (minimum detectable
    effect), icc_{group} (intra-class correlation of a random effect). A question that could not be fitted has one row,
    its bias without numbers, and a note. In data with the crossed structure, the
    note on a bias score of a structure in WITHDRAWN says why not to use its p-value.
    """
    base = places(fits)[["model", "metric", "definition", "unit", "group", "n", "over", "converged"]]
    base = base.assign(note=fits["note"])  # lme4's own messages say that a fit is singular
    columns = ["estimate", "std_error", "ci_low", "ci_high", "p_value", "p_adjusted"]
    has_crossed = fits["data"].isin(fits.loc[fits["structure"] == CROSSED, "data"])
    remarks = fits["structure"].map(WITHDRAWN).where(fits["p_value"].notna() & has_crossed)
    both = zip(fits["note"], remarks, strict=True)
    notes = [" · ".join(note for note in pair if isinstance(note, str)) or None for pair in both]
    parts = [base.assign(variant=BIAS, **{column: fits[column] for column in columns}).assign(note=notes)]
    for variant, (low, high) in _EFFECT_SIZES.items():
        parts.append(base.assign(variant=variant, estimate=fits[variant], ci_low=fits[low], ci_high=fits[high]))
    tested = {
        "estimate": "estimate",
        "std_error": "std_error",
        "ci_low": "equivalence_low",
        "ci_high": "equivalence_high",
    }
    tested |= {"p_value": "p_equivalence", "p_adjusted": "p_equivalence_adjusted"}
    equivalent = base.assign(variant="equivalent", **{column: fits[source] for column, source in tested.items()})
    parts.append(equivalent[fits["p_equivalence"].notna()])
    parts += [base.assign(variant=variant, estimate=fits[variant]) for variant in _POINTS]
    rows = pd.concat(parts, ignore_index=True)
    return tidy(rows[rows["estimate"].notna() | rows["p_value"].notna() | (rows["variant"] == BIAS)])


def places(fits: pd.DataFrame) -> pd.DataFrame:
    """Fits with `metric`, `unit`, `group` and `over` of their tidy rows."""
    marks = [fits["data"], fits["dimension"], fits["contrast"]]
    marks += [
        fits["subset"].where(fits["subset"] != "all", ""),
        fits["structure"].where(fits["structure"] != CROSSED, ""),
    ]
    group = ["/".join(part for part in parts if part) for parts in zip(*marks, strict=True)]
    return fits.assign(metric=METRIC, unit="dimension", group=group, over="sentences")
