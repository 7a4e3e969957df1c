"""Likelihood bias as tidy numbers: from observations through `score` to one row per number.

A group is {stimuli}/{axis}, or {stimuli}/{axis}/{template or descriptor}.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from herbarium.core.passages import Model, Name
from herbarium.metrics.likelihood_bias import score, stimuli
from herbarium.metrics.likelihood_bias.stimuli import Observations, Sentences
from herbarium.scoring.quantities import Scores
from herbarium.statistics import inference, repeats
from herbarium.statistics.between import between, given, inferred
from herbarium.statistics.tidy import Numbers, tidy

METRIC = "likelihood_bias"
OWN, PUBLISHED = "own", "published"
# The primary number; without what the number of tokens explains; its equivalence bound; of each descriptor;
# and the published share of pairs.
VARIANCE, GIVEN_LENGTH, BOUND, DEVIATION = "variance", "variance_given_length", "variance_bound", "deviation"
SHARE = "share_of_pairs"
AXIS, TEMPLATE, DESCRIPTOR = "axis", "template", "descriptor"
# The error rate of the equivalence test (two one-sided tests, an interval of coverage 1 - 2 alpha).
_ALPHA = 0.05
COLUMNS = [
    *("unit", "group", "model", "definition", "variant", "n", "estimate", "std_error", "ci_low", "ci_high"),
    *("p_value", "p_adjusted", "note"),
]


def cube(rows: pd.DataFrame, column: str = "value") -> pd.DataFrame:
    """A column of the observations of an axis: one row per template and noun, one column per descriptor.

    Templates and nouns without a value for any descriptor are left out, then descriptors without a value for some of
    the others.
    """
    cells = rows.pivot(index=["template", "noun"], columns="descriptor", values=column)
    known = rows.pivot(index=["template", "noun"], columns="descriptor", values="value")
    for level in ("template", "noun"):
        is_known = known.notna().any(axis=1).groupby(level=level).transform("any")
        cells, known = cells[is_known], known[is_known]
    return cells.loc[:, known.notna().all()] if len(cells) else cells.iloc[:, :0]


def as_array(cells: pd.DataFrame) -> np.ndarray:
    """(n_templates, n_nouns, n_descriptors) of a `cube`."""
    sizes = [len(cells.index.unique(level)) for level in ("template", "noun")]
    return cells.to_numpy(float).reshape(*sizes, cells.shape[1])


def distinct(cells: pd.DataFrame) -> tuple[pd.DataFrame, str | None]:
    """The mean over templates that are alike, and over nouns; and a note on these, if there are any. cells: `cube`."""
    levels, notes = [], []
    for level in cells.index.names:
        of_rows = cells.index.get_level_values(level).to_series()
        levels.append(repeats.alike(of_rows).to_numpy())
        notes.append(repeats.remark(of_rows.nunique(), len(set(levels[-1])), f"{level}s"))
    note = "; ".join(filter(None, notes)) or None
    return cells.groupby(levels).mean().rename_axis(cells.index.names) if note else cells, note


def measure(
    model: Model, name: Name, sentences: Sentences, scores: Scores, level: float, correction: str
) -> tuple[Observations, Numbers]:
    """How the perplexity of sentences varies between the descriptors of an axis. Arguments as of `estimates`."""
    observations = stimuli.observe(sentences, scores)
    return observations, estimates(model, name, observations, level, correction)


def estimates(model: str, name: str, observations: Observations, level: float, correction: str) -> Numbers:
    """Tidy rows of metric "likelihood_bias". name: of the stimuli. level: of the intervals. correction: of the
    p-values, over the axes; and, within an axis, over its descriptors. `n` counts templates or nouns, whichever are
    fewer, as both are samples; of published numbers, descriptors."""
    rows = pd.DataFrame(
        {"group": f"{name}/{axis}"} | row
        for axis, of_axis in observations.groupby("axis", sort=False)
        for row in _of_axis(of_axis, level)
    ).reindex(columns=["definition", "variant", "unit", "group", "key", "n", "over", *COLUMNS[6:]])
    families = rows["variant"] + rows["group"].where(rows["unit"] == DESCRIPTOR, "")
    for _, family in rows.groupby(families):
        rows.loc[family.index, "p_adjusted"] = inference.adjust(family["p_value"].to_numpy(float), correction)
    rows["group"] = rows["group"].where(rows["key"].isna(), rows["group"] + "/" + rows["key"].fillna("").astype(str))
    return tidy(rows.drop(columns="key").assign(model=model, metric=METRIC))


def _of_axis(rows: pd.DataFrame, level: float) -> Iterator[dict]:
    cells = cube(rows)
    y, n = as_array(cells), cells.shape[1]
    lost = sorted({*rows["descriptor"]} - {*cells.columns})
    place = {"definition": OWN, "unit": AXIS, "n": n, "over": "descriptors"}
    if lost:
        place["note"] = f"without {', '.join(lost)}: a sentence has no score, or is to the model that of another one"
    if n < 2:
        why = {"note": f"not measured: fewer than two descriptors have a score in each sentence ({len(lost)} have not)"}
        yield place | {"variant": VARIANCE} | why
        yield place | {"variant": SHARE, "definition": PUBLISHED} | why
        return
    shares = score.significant_pairs(y)
    published = place | {"definition": PUBLISHED, "variant": SHARE}
    yield published | {"estimate": shares.mean()}
    for template, share in zip(cells.index.unique("template"), shares, strict=True):
        yield published | {"unit": TEMPLATE, "key": template, "estimate": share}
    different, repeated = distinct(cells)
    y = as_array(different)
    place |= _sampled(y)
    if few := _too_few(y):
        yield place | {"variant": VARIANCE, "note": "; ".join(filter(None, (few, repeated)))}
        return
    if repeated:
        place["note"] = "; ".join(filter(None, (place.get("note"), repeated)))
    y = score.deviations(y)
    variance = between(y, n - 1)
    yield place | {"variant": VARIANCE} | inferred(variance, level)
    low, high = variance.interval(1 - 2 * _ALPHA)
    yield place | {"variant": BOUND, "estimate": inference.least_bound(low, high)}
    residuals = given(y, cube(rows, "n_tokens").mean().to_numpy(float))
    if residuals is None:
        yield place | {"variant": GIVEN_LENGTH, "note": "all descriptors have as many tokens, or there are only two"}
    else:
        yield place | {"variant": GIVEN_LENGTH} | inferred(between(residuals, n - 2), level)
    for column, descriptor in enumerate(cells.columns):
        mean = score.effect(y, column)
        low, high = inference.t_interval(mean, level)
        yield {
            **place,
            **{"variant": DEVIATION, "unit": DESCRIPTOR, "key": descriptor, "estimate": mean.estimate},
            **{"std_error": mean.std_error, "ci_low": low, "ci_high": high, "p_value": inference.t_p_value(mean)},
        }


def _sampled(y: np.ndarray) -> dict:
    """`n` and `over` of a tidy row. y: of `as_array`."""
    (n, fewer), (_, others) = sorted(zip(y.shape, ("templates", "nouns"), strict=False))
    return {"n": n, "over": f"{fewer} (crossed with {others})"}


def _too_few(y: np.ndarray) -> str | None:
    few = [f"{n} {what}" for n, what in zip(y.shape, ("templates", "nouns"), strict=False) if n < score.FEWEST]
    return f"not measured: {', '.join(few)}; fewer than {score.FEWEST} do not generalise to others" if few else None


# --- tables for people ---


def axes(numbers: Numbers) -> pd.DataFrame:
    return numbers.loc[numbers["unit"] == AXIS, COLUMNS]


def templates(numbers: Numbers) -> pd.DataFrame:
    return numbers.loc[numbers["unit"] == TEMPLATE, COLUMNS]


def descriptors(numbers: Numbers) -> pd.DataFrame:
    return numbers.loc[numbers["unit"] == DESCRIPTOR, COLUMNS]
