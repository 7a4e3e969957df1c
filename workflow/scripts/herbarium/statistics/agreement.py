"""Published figures compared with ours: whether they agree.

A printed figure stands for all numbers that round to it: half a unit of its last digit to either side. With the same
words and weights a score is deterministic, so ours agrees if it is one of these; its interval, which says what other
words would give, is not a tolerance. Only if the model was trained again does its interval count. Then the two agree if
the ranges overlap: the tolerance is half a unit of the last digit, and what lies between our number and the end of its
interval on the side of the printed figure.

Only numbers of the same model and data are compared at all. Others stand beside the figure as "not comparable", with
the reason (`models.originals`).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.special import stdtrit

from herbarium.core.store import schema

AGREES, AGREES_AS_RELEASED, DIFFERS = "agrees", "agrees as released", "differs"
DOUBTFUL, NOT_COMPARABLE, NOT_MEASURED = "doubtful", "not comparable", "not measured"
COMPARED = (AGREES, AGREES_AS_RELEASED, DIFFERS, DOUBTFUL)
AGREEMENTS = (*COMPARED, NOT_COMPARABLE, NOT_MEASURED)
DEFINITIONS = ("paper", "released")
# The place of a figure in its paper.
CELL = ["table", "row", "column"]
# Ours, under each definition, with the bounds of its interval.
OURS = [f"{definition}{bound}" for definition in DEFINITIONS for bound in ("", "_low", "_high")]
PUBLISHED = schema(
    "published",
    *((name, pa.string()) for name in ("metric", *CELL, "published")),
    *((name, pa.float64()) for name in (*DEFINITIONS, "difference", "tolerance")),
    ("agreement", pa.string()),
    ("note", pa.string()),
    nullable=(*DEFINITIONS, "difference", "tolerance", "note"),
)
# Left out of a row's label, since most figures are about these words and sentences.
_UNSAID = ("", "all", "base")
LEVEL = 0.95
SLACK = 1e-9  # of a tolerance: 0.405 is half a unit from 0.41, but in floating point just above


def beside(
    metric: str, figures: pd.DataFrame, ours: Iterable[pd.DataFrame], trained_anew: bool | pd.Series = False
) -> pd.DataFrame:
    """One row per published figure, of the schema "published"; of a figure that several of our models reproduce, one
    for each.

    figures: CELL, `value` as printed and `doubt`, empty if there is none. ours: tables with CELL, those of OURS that
    exist, and optionally `converged`, `said`, a note, and `comparable`, from `marked`. A number of a fit that did not
    converge does not count.
    trained_anew: whether our models were trained again, for all figures or for each; if not, their bounds do not count.

    `published` is as printed, `paper` and `released` are ours in its unit. `difference` is ours minus published, and
    `tolerance` how large it may be: for `paper`, or for `released` if only that agrees or exists. `agreement` is one of
    AGREEMENTS; "doubtful" marks a figure that may not be what its table says, whatever ours is: `note` gives the
    reason, and how ours compares. "not comparable" marks ours if it is of another model or other data.
    """
    columns = [*CELL, *OURS, "converged", "said", "comparable"]
    measured = pd.concat([pd.DataFrame(columns=columns, dtype=object), *ours]).reindex(columns=columns)
    measured.loc[measured["converged"].eq(False), OURS] = math.nan
    both = figures.assign(anew=trained_anew).merge(measured, on=CELL, how="left", validate="one_to_many")
    both.loc[~both["anew"].astype(bool), [column for column in OURS if column not in DEFINITIONS]] = math.nan
    rows = [{"metric": metric, **_compared(cell)} for cell in both.to_dict("records")]
    return pd.DataFrame(rows, columns=PUBLISHED.fields.names)


def marked(table: pd.DataFrame, reasons: Iterable[str]) -> pd.DataFrame:
    """A table of numbers beside published ones, with `comparable`: whether ours is of the same model and data.

    reasons: for each row, why it is not; empty if it is. It leads the `note` then, and columns with differences are
    empty. Rows without a published number are comparable to nothing, and stay as they are.
    """
    why = pd.Series(list(reasons), table.index, dtype=object)
    is_other = why.ne("") & table["published"].notna()
    differences = {name: table[name].mask(is_other) for name in table.columns if name.startswith("difference")}
    notes = table.get("note", pd.Series(None, table.index, dtype=object)).astype(object)
    return table.assign(**differences, note=notes.mask(is_other, _led(why, notes)), comparable=~is_other)


def of_others(ours: pd.DataFrame, reason: str) -> pd.DataFrame:
    """Rows of ours for `beside`, all not comparable for one reason; as they are if it is empty."""
    if not reason:
        return ours
    notes = ours.get("said", pd.Series("", ours.index))
    return ours.assign(said=_led(pd.Series(reason, ours.index), notes), comparable=False)


def _led(why: pd.Series, notes: pd.Series) -> pd.Series:
    """Notes, with the reason before each why ours is not comparable."""
    return (f"{NOT_COMPARABLE}: " + why + "; " + notes.astype(object).fillna("")).str.removesuffix("; ")


def all_reasons(*reasons: str | None) -> str:
    """Several reasons as one, each once."""
    return ", ".join(dict.fromkeys(filter(None, reasons)))


def over_trainings(ours: Sequence[Mapping], runs: int) -> dict[str, float]:
    """OURS of several trainings of one model as one, under each definition that any of them has.

    The mean m of n trainings is compared with a published mean of r runs, which is as random as ours: the bounds are
    those between which the mean of r further trainings lies with probability LEVEL, m ± t(n − 1) s √(1/n + 1/r). This
    is exact if trainings are normally distributed; variation over words is not included, since the words are the same.
    One training has no bounds.

    ours: rows with OURS, whose bounds are ignored. runs: r, for the published figure.
    """
    means = {}
    for definition in DEFINITIONS:
        values = np.array([row.get(definition, math.nan) for row in ours], float)
        values = values[np.isfinite(values)]
        n = len(values)
        mean, half = math.nan, math.nan
        if n:
            mean = values.mean()
        if n > 1:
            half = stdtrit(n - 1, (1 + LEVEL) / 2) * values.std(ddof=1) * math.sqrt(1 / n + 1 / runs)
        means |= {definition: mean, f"{definition}_low": mean - half, f"{definition}_high": mean + half}
    return means


def counts(published: pd.DataFrame, by: Sequence[str] = ("metric", "table")) -> pd.DataFrame:
    """One row per published table, or whatever `by` names: `n` figures, how many of these are `compared`, the number
    with each of AGREEMENTS, and `exact`, the number that agree to the last printed digit.

    `n` is the sum of `compared`, "not comparable" and "not measured". A figure beside which several of ours stand
    counts once for each of their agreements. published: of the schema "published", with the columns of `by`.
    """
    by = list(by)
    cells = published.drop_duplicates(["metric", *CELL, "agreement"])
    cells = cells.assign(compared=cells["agreement"].isin(COMPARED))
    is_compared = cells.groupby(["metric", *CELL], dropna=False)["compared"].transform("any")
    cells = cells[~is_compared | (cells["agreement"] != NOT_COMPARABLE)].assign(compared=is_compared)
    halves = cells["published"].map(half_unit).astype(float)
    is_exact = (cells["difference"].abs() <= halves * (1 + SLACK)) & cells["agreement"].isin(AGREEMENTS[:2])
    cells = cells.assign(exact=is_exact)
    groups = cells.groupby(by, sort=False)
    table = groups["agreement"].value_counts().unstack(fill_value=0).reindex(columns=AGREEMENTS, fill_value=0)
    once = cells.drop_duplicates(["metric", *CELL]).groupby(by, sort=False)
    n, compared = once.size(), once["compared"].sum()
    return table.reindex(n.index).assign(n=n, compared=compared, exact=groups["exact"].sum()).reset_index()


def half_unit(printed: str) -> float:
    """Half a unit of the last digit of a figure as printed."""
    return 0.5 * 10.0 ** Decimal(printed).as_tuple().exponent


def tolerance(printed: str, ours: float, low: float, high: float) -> tuple[float, float]:
    """Ours minus a figure as printed, and how large that may be. low, high: our interval, nan without one."""
    difference = ours - float(printed)
    to_end = ours - low if difference > 0 else high - ours
    # an interval can lie to one side of its estimate
    return difference, half_unit(printed) + (max(to_end, 0.0) if math.isfinite(to_end) else 0.0)


def _compared(cell: Mapping) -> dict:
    """The columns of a cell's row, except for its metric."""
    differences = {}
    for definition in DEFINITIONS:
        values = [float(cell[f"{definition}{bound}"]) for bound in ("", "_low", "_high")]
        if not math.isnan(values[0]):
            differences[definition] = tolerance(cell["value"], *values)
    within = {
        definition: abs(difference) <= most * (1 + SLACK) for definition, (difference, most) in differences.items()
    }
    shown = next((definition for definition in differences if within[definition]), next(iter(differences), None))
    agreement = NOT_MEASURED
    if shown is not None:
        agreement = (AGREES if shown == "paper" else AGREES_AS_RELEASED) if within[shown] else DIFFERS
    notes = [cell["doubt"], cell["said"] if isinstance(cell["said"], str) else ""]
    if cell["doubt"] and shown is not None and cell["comparable"] is not False:
        notes.insert(1, f"ours {agreement}")
        agreement = DOUBTFUL
    elif cell["converged"] is False:
        notes.append("the fit did not converge")
    if cell["comparable"] is False and shown is not None:
        agreement, differences = NOT_COMPARABLE, {}
    difference, most = differences.get(shown, (math.nan, math.nan))
    return {key: cell[key] for key in (*CELL, *DEFINITIONS)} | {
        "published": cell["value"],
        "difference": difference,
        "tolerance": most,
        "agreement": agreement,
        "note": "; ".join(filter(None, notes)) or None,
    }


def placed(rows: pd.DataFrame, number: object, keys: list[str]) -> pd.DataFrame:
    """Rows with the cell they belong to. keys: what identifies a row of the table, and, last, a column."""
    parts = zip(*map(rows.get, keys[:-1]), strict=True)
    labels = [", ".join(part for part in words if part not in _UNSAID) for words in parts]
    return rows.assign(table=number, row=pd.Series(labels, rows.index, dtype=object), column=rows[keys[-1]])
