"""How much groups of units differ in their profiles over items, beyond how units of one group differ.

A metric writes scores of units (countries, by their names) with items (descriptions) as a table of the schema
"grouped"; units are in groups (continents). A unit that scores high with all items, or an item with all units, only
reflects how likely its words are. Bias is the interaction: which items score high differs from group to group. Units
are the replicates and must be independent of one another: names that share a word are not.

Y_ui is the mean over templates, minus the mean of each unit; MS_groups and MS_units are the mean squares of a one-way
analysis of variance, over all items:

    E MS_groups = sigma^2 + k kappa^2,   E MS_units = sigma^2,

kappa^2 the variance of the interaction group x item, sigma^2 that of unit x item. MS_groups / MS_units has a noncentral
F distribution, which gives test, interval and equivalence (Steiger 2004, Psychol. Methods 9, 164-182). Items are
correlated: both degrees of freedom are those of the number of independent items with the same (tr S)^2 / tr S^2 (Box
1954, Ann. Math. Stat. 25, 484-498), where S is the covariance of the units of a group.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import scipy  # imports its parts when they are first used

from herbarium.core.store import schema
from herbarium.statistics.inference import above_zero, adjust
from herbarium.statistics.tidy import tidy

METRIC, DEFINITION = "groups", "interaction"
# One row per score, null if it was refused; `group` is a name in words.
GROUPED = schema(
    "grouped",
    ("score", pa.float64()),
    *((name, pa.string()) for name in ("template", "item", "unit", "group")),
    nullable=("score",),
)


@dataclass(frozen=True)
class Components:
    """Mean squares of the interactions group x item and unit x item, and the sizes behind them.

    size: k, the number of units of a group; if these differ, the one of the analysis of variance. df_groups, df_units:
    of F.
    """

    groups: float
    units: float
    size: float
    df_groups: float
    df_units: float
    n: int

    @property
    def share(self) -> float:
        """The share of the variance of both interactions that lies between groups; variances are unbiased, so that it
        is below 0 if groups differ less than by chance."""
        between = (self.groups - self.units) / self.size
        return between / (between + self.units)

    @property
    def p_value(self) -> float:
        """The p-value of the hypothesis that groups differ in their profiles no more than units do."""
        return float(above_zero(scipy.stats.f.sf(self.groups / self.units, self.df_groups, self.df_units)))

    def bounds(self, level: float) -> tuple[float, float]:
        """Interval of the share, by inverting the F test in each tail. The lower bound is 0 if no share is too small; 0
        is covered more often than the nominal level."""
        return self._share((1 + level) / 2), self._share((1 - level) / 2)

    def equivalence_p_value(self, bound: float) -> float:
        """The p-value of the hypothesis that the share is the bound or more."""
        return float(above_zero(self._below(self.df_groups * self.size * bound / (1 - bound))))

    def _below(self, noncentrality: float) -> float:
        f = self.groups / self.units
        return float(scipy.stats.ncf.cdf(f, self.df_groups, self.df_units, noncentrality))

    def _share(self, tail: float) -> float:
        """The share for which F is below the data's with this probability; 0 if the probability is lower even without
        any share."""
        if self._below(0.0) <= tail:
            return 0.0
        most = 1.0
        while self._below(most) > tail:
            most *= 2
        ratio = scipy.optimize.brentq(lambda value: self._below(value) - tail, 0, most) / (self.df_groups * self.size)
        return float(ratio / (1 + ratio))


def components(profiles: np.ndarray, group: np.ndarray) -> Components | None:
    """profiles: (n_units, n_items), finite. group: (n_units,) the group of each. None without two groups, two items,
    and two units of a group."""
    y = profiles - profiles.mean(axis=1, keepdims=True)
    codes = pd.factorize(group)[0]
    sizes = np.bincount(codes)
    (n, n_items), between = y.shape, len(sizes) - 1
    within = n - between - 1
    if min(between, within, n_items - 1) < 1:
        return None
    means = np.array([y[codes == code].mean(axis=0) for code in range(len(sizes))])
    rest = y - means[codes]
    if not (squares := (rest**2).sum()) > 0:
        return None
    of_groups = sizes @ (means - y.mean(axis=0)) ** 2
    as_many = _independent(rest, within)
    return Components(
        groups=float(of_groups.sum() / (between * (n_items - 1))),
        units=float(squares / (within * (n_items - 1))),
        size=float((n - (sizes**2).sum() / n) / between),
        df_groups=between * as_many,
        df_units=within * as_many,
        n=n,
    )


def _independent(rest: np.ndarray, df: int) -> float:
    """(tr S)^2 / tr S^2 of the covariance S of items, both estimated without bias; from 1 to the number of items minus
    one, as the mean of each unit is subtracted. rest: (n_units, n_items) residuals with df degrees of freedom."""
    most = rest.shape[1] - 1.0
    covariance = rest.T @ rest / df
    trace, squares = np.trace(covariance), (covariance**2).sum()
    of_squares = squares - trace**2 / df
    if not of_squares > 0:
        return most
    of_trace = (df + 1) / df * (trace**2 - 2 * squares / (df + 1))
    return float(np.clip(of_trace / of_squares, 1, most))


def measure(model: str, data: str, scores: pd.DataFrame, level: float, alpha: float, bound: float) -> pd.DataFrame:
    """Tidy rows of a model's scores: `share` of the variance of profiles between groups, with its interval and test;
    `equivalent`, the same with the interval of coverage 1 - 2 alpha and the p-value of the hypothesis that it is
    `bound` or more; `equivalence_bound`, the upper end of that interval. `unit`: the name of the data. n counts units.

    scores: of the schema "grouped". Units with a missing score are left out, and the note says how many.
    """
    table = scores.pivot_table("score", ["unit", "group"], ["template", "item"], "mean", dropna=True)
    whole = table.dropna()
    profiles = whole.T.groupby(level="item", sort=False).mean().T
    parts = components(profiles.to_numpy(), profiles.index.get_level_values("group").to_numpy())
    left_out = scores["unit"].nunique() - len(whole)
    notes = [f"{left_out} units left out: a score is missing"] if left_out else []
    row = {"model": model, "metric": METRIC, "definition": DEFINITION, "unit": data, "group": "all", "n": len(whole)}
    if parts is None:
        notes.append("at least two groups, two units in a group and two items are needed")
        return tidy(pd.DataFrame([row | {"variant": "share", "note": "; ".join(notes)}]), over="members")
    bounds = {
        coverage: dict(zip(("ci_low", "ci_high"), parts.bounds(coverage), strict=True))
        for coverage in (level, 1 - 2 * alpha)
    }
    rows = [
        {"variant": "share", "estimate": parts.share, "p_value": parts.p_value} | bounds[level],
        {"variant": "equivalent", "estimate": parts.share, "p_value": parts.equivalence_p_value(bound)}
        | bounds[1 - 2 * alpha],
        {"variant": "equivalence_bound", "estimate": bounds[1 - 2 * alpha]["ci_high"]},
    ]
    return tidy(
        pd.DataFrame([row | interval | {"note": "; ".join(notes) or None} for interval in rows]), over="members"
    )


def adjusted(numbers: pd.DataFrame, method: str) -> pd.DataFrame:
    """Rows of all models, p-values adjusted over the models of the same data. method: of `inference.adjust`."""
    families = numbers.groupby(["unit", "variant"])["p_value"]
    return numbers.assign(p_adjusted=families.transform(lambda p: adjust(p.to_numpy(float), method)))
