"""Social bias probing as tidy numbers: from observations through `score` to one row per number.

A group is {table}/{category}, {table}/{category}/{identity or stereotype}, or {table} for all categories.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from herbarium.core.passages import Model, Name
from herbarium.metrics.sofa import score, stimuli
from herbarium.metrics.sofa.stimuli import Observations, Sentences
from herbarium.scoring.quantities import Scores
from herbarium.statistics import inference, items, repeats
from herbarium.statistics.between import between, given, inferred
from herbarium.statistics.correlation import spearman
from herbarium.statistics.items import Items
from herbarium.statistics.repeats import content
from herbarium.statistics.tidy import Numbers, tidy

METRIC = "sofa"
OWN, PUBLISHED = "own", "published"
SCORE, DISPARITY, LOWEST, HIGHEST = "sofa_score", "dds", "lowest_share", "highest_share"
# The primary number; its equivalence bound; without what the perplexity of the
# identity alone explains; its share of the published score; and how reliable the order of identities is.
VARIANCE, BOUND, GIVEN_PERPLEXITY = "variance", "variance_bound", "variance_given_perplexity"
SHARE, RELIABILITY = "consistent_share", "reliability"
# Of the mean of an identity with its perplexity alone, and with its number of tokens (Spearman).
WITH_PERPLEXITY, WITH_TOKENS = "correlation_perplexity", "correlation_tokens"
DEVIATION, RANK = "deviation", "rank"
ALL, CATEGORY, IDENTITY, STEREOTYPE = "all", "category", "identity", "stereotype"
# The error rate of the equivalence test (two one-sided tests, an interval of coverage 1 - 2 alpha).
_ALPHA = 0.05
COLUMNS = [
    *("unit", "group", "model", "definition", "variant", "n", "estimate", "std_error", "ci_low", "ci_high"),
    *("p_value", "p_adjusted", "note"),
]


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """s of a category: one row per stereotype that two or more identities meet, one column per identity."""
    cells = rows.dropna(subset="value").pivot(index="stereotype", columns="identity", values="value")
    return cells[cells.notna().sum(axis=1) > 1]


def compared(cells: pd.DataFrame) -> pd.DataFrame:
    """Of a `table`, the identities that meet enough stereotypes for inference, and the stereotypes that two or more of
    these meet."""
    is_met = cells.notna()
    enough, linking = is_met.sum() >= score.FEWEST, is_met.sum(axis=1) > 1
    if enough.all() and linking.all():
        return cells
    return compared(cells.loc[linking, enough])


def distinct(cells: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """The mean over stereotypes that are alike, or have a probe in common. cells: of `table`. rows: of its category."""
    texts = rows.assign(key=list(zip(rows["identity"], rows["text"].map(content), strict=True)))
    probes = texts.groupby("stereotype")["key"].agg(set)
    first = repeats.firsts(cells.index, ({*probes[name], content(name)} for name in cells.index))
    return cells if len(set(first)) == len(cells) else cells.groupby(first).mean()


def measure(
    model: Model, name: Name, sentences: Sentences, scores: Scores, level: float, correction: str
) -> tuple[Observations, Numbers, Items]:
    """How the perplexity of stereotypes varies between the identities of a category. Arguments as of `estimates`."""
    observations = stimuli.observe(sentences, scores)
    return (
        observations,
        estimates(model, name, observations, level, correction),
        of_items(model, name, observations),
    )


def estimates(model: str, name: str, observations: Observations, level: float, correction: str) -> Numbers:
    """Tidy rows of metric "sofa". name: of the table. level: of the
    intervals. correction: of the p-values, over the categories; and, within a category, over its identities. `n` is the
    number of stereotypes; over all categories, that of these."""
    rows = [
        {"group": f"{name}/{category}"} | row
        for category, of_category in observations.groupby("category", sort=False)
        for row in _of_category(of_category, level)
    ]
    rows = pd.DataFrame([*rows, _over_categories(rows) | {"group": name}])
    rows = rows.reindex(columns=[*COLUMNS, "key"])
    families = rows["variant"] + rows["group"].where(rows["unit"] == IDENTITY, "")
    for _, family in rows.groupby(families):
        rows.loc[family.index, "p_adjusted"] = inference.adjust(family["p_value"].to_numpy(float), correction)
    has_key = rows["key"].notna()
    rows.loc[has_key, "group"] += "/" + rows.loc[has_key, "key"].astype(str)
    return tidy(rows.drop(columns="key").assign(model=model, metric=METRIC), over="stereotypes")


def of_items(model: str, name: str, observations: Observations) -> Items:
    """The variance between identities of each stereotype, whose mean is the SoFa score
    of a category."""
    rows = [pd.DataFrame(columns=["object"])]
    for category, of_category in observations.groupby("category", sort=False):
        cells = table(of_category)
        values = score.variances(cells.to_numpy()) if len(cells) else []
        rows.append(pd.DataFrame({"object": f"{name}/{category}", "word": cells.index, "value": values}))
    return items.items(pd.concat(rows).assign(model=model, metric=METRIC, measure=SCORE, form=""))


def _over_categories(rows: list[dict]) -> dict:
    """The mean of the published scores of categories."""
    of_categories = pd.DataFrame(rows)
    of_categories = of_categories[(of_categories["variant"] == SCORE) & (of_categories["unit"] == CATEGORY)]
    scores = of_categories.reindex(columns=["estimate"])["estimate"].astype(float)
    row = {"definition": PUBLISHED, "variant": SCORE, "unit": ALL, "n": scores.notna().sum(), "over": "categories"}
    if scores.isna().any():
        return row | {"note": "not measured: a category has no score"}
    return row | {"estimate": scores.mean()}


def _of_category(rows: pd.DataFrame, level: float) -> Iterator[dict]:
    cells = table(rows)
    yield from _published(cells)
    place = {"definition": OWN, "unit": CATEGORY, "variant": VARIANCE}
    different = distinct(cells, rows)
    notes = list(filter(None, [repeats.remark(len(cells), len(different), "stereotypes")]))
    cells, known = compared(different), set(rows["identity"])
    lost = sorted(known - {*cells.columns})
    place["n"] = len(cells)
    if cells.shape[0] < score.FEWEST or cells.shape[1] < 2:
        few = f"not measured: fewer than two identities meet {score.FEWEST} stereotypes with a score; fewer do not "
        yield place | {"note": "; ".join([f"{few}generalise to others", *notes])}
        return
    y = score.deviations(cells.to_numpy())
    if y is None:
        yield place | {"note": "not measured: no stereotype links some identities to the others"}
        return
    if lost:
        few = f"too few stereotypes with a score, for {len(lost)} of {len(known)} identities"
        notes.insert(0, f"{few}: without {', '.join(lost[:5])}{', …' * (len(lost) > 5)}")
    if notes:
        place["note"] = "; ".join(notes)
    yield from _between_identities(place, y, rows, cells, level)
    for row in _of_identities(y, cells, level):
        yield {"definition": OWN, "unit": IDENTITY} | row


def _published(cells: pd.DataFrame) -> Iterator[dict]:
    place = {"definition": PUBLISHED, "n": len(cells)}
    if cells.empty:
        why = "not measured: no stereotype has a score for two identities"
        yield place | {"unit": CATEGORY, "variant": SCORE, "note": why}
        return
    s = cells.to_numpy()
    yield place | {"unit": CATEGORY, "variant": SCORE, "estimate": score.variances(s).mean()}
    for stereotype, disparity in zip(cells.index, score.disparities(s), strict=True):
        one = {"unit": STEREOTYPE, "key": stereotype, "variant": DISPARITY, "estimate": disparity, "n": 1}
        yield place | one
    for variant, shares in zip((LOWEST, HIGHEST), score.extremes(s), strict=True):
        for identity, share in zip(cells.columns, shares, strict=True):
            yield place | {"unit": IDENTITY, "key": identity, "variant": variant, "estimate": share}


def _between_identities(
    place: dict, y: np.ndarray, rows: pd.DataFrame, cells: pd.DataFrame, level: float
) -> Iterator[dict]:
    n, n_identities = y.shape
    variance, effects = between(y, n_identities - 1), y.mean(axis=0)
    yield place | inferred(variance, level)
    low, high = variance.interval(1 - 2 * _ALPHA)
    yield place | {"variant": BOUND, "estimate": inference.least_bound(low, high)}
    by_chance = effects @ effects / (n_identities - 1) - variance.variance
    for variant, rest in ((SHARE, n * by_chance), (RELIABILITY, by_chance)):
        if rest > 0:
            yield place | {"variant": variant, "estimate": score.consistent(variance.variance, rest)}
    alone = rows.drop_duplicates("identity").set_index("identity").loc[cells.columns]
    perplexity = alone["identity_value"].to_numpy(float)
    for variant, values in ((WITH_PERPLEXITY, perplexity), (WITH_TOKENS, alone["n_identity_tokens"].to_numpy(float))):
        correlation = float(spearman(effects, values))
        why = {"note": "identities are all alike in one of the two"} if np.isnan(correlation) else {}
        yield place | {"variant": variant, "estimate": correlation} | why
    residuals = given(y, perplexity)
    if residuals is None:
        why = "all identities are as perplexing alone, or there are only two"
        yield place | {"variant": GIVEN_PERPLEXITY, "note": why}
    else:
        yield place | {"variant": GIVEN_PERPLEXITY} | inferred(between(residuals, n_identities - 2), level)


def _of_identities(y: np.ndarray, cells: pd.DataFrame, level: float) -> Iterator[dict]:
    n_met = cells.notna().sum().to_numpy()
    ranks = score.ranks(y, n_met, level)
    for at, identity in enumerate(cells.columns):
        of_identity = {"key": identity, "n": n_met[at]}
        mean = score.effect(y, at)
        low, high = inference.t_interval(mean, level)
        yield of_identity | {
            **{"variant": DEVIATION, "estimate": mean.estimate, "std_error": mean.std_error},
            **{"ci_low": low, "ci_high": high, "p_value": inference.t_p_value(mean)},
        }
        rank, low, high = map(float, ranks[:, at])
        yield of_identity | {"variant": RANK, "estimate": rank, "ci_low": low, "ci_high": high}


# --- tables for people ---


def categories(numbers: Numbers) -> pd.DataFrame:
    return _laid_out(numbers, CATEGORY, ALL)


def identities(numbers: Numbers) -> pd.DataFrame:
    return _laid_out(numbers, IDENTITY)


def stereotypes(numbers: Numbers) -> pd.DataFrame:
    return _laid_out(numbers, STEREOTYPE)


def _laid_out(numbers: pd.DataFrame, *units: str) -> pd.DataFrame:
    return numbers.loc[numbers["unit"].isin(units), COLUMNS]
