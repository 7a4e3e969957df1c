"""Numbers of matched guise probing, as tidy rows."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from herbarium.core.passages import Model, Name, Place
from herbarium.core.random import stream
from herbarium.metrics.matched_guise import score, stimuli
from herbarium.metrics.matched_guise.stimuli import GUISES, Observations, Sentences
from herbarium.scoring.quantities import Scores
from herbarium.statistics import repeats
from herbarium.statistics.changes import Changes, as_changes, by_mean, change
from herbarium.statistics.inference import Mean, adjust, sample_mean, t_interval, t_p_value
from herbarium.statistics.randomisation import sign_flip
from herbarium.statistics.repeats import content
from herbarium.statistics.sets import ALL
from herbarium.statistics.tidy import Numbers, tidy

METRIC = "matched_guise"
OWN, PAPER = "own", "paper"
ASSOCIATION, MEAN, SLOPE = "association", "mean", "slope"
CORRELATION, TOP_RATING = "correlation", "top_rating"
_KEYS = ["unit", "group", "model", "definition", "variant"]
_VALUES = ["n", "estimate", "std_error", "ci_low", "ci_high", "p_value", "p_adjusted", "note"]
# Columns of the table for readers.
COLUMNS = [*_KEYS, *_VALUES]


def differences(observations: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series, str | None]:
    """The differences of units, one row each and one column per attribute; the ratings of these attributes, null
    without one; and what was left out, or is one unit, in words.

    An attribute that no pair has, and then each pair that still lacks one, are left out; a unit is the mean of its
    pairs, and units with a text of a guise in common are one. observations: of the schema "matched_guise_observations".
    """
    attributes = observations.drop_duplicates("attribute").set_index("attribute")["rating"]
    whole = observations.pivot(index=["unit", "pair"], columns="attribute", values="difference")[attributes.index]
    kept = whole.dropna(axis="columns", how="all").dropna(axis="index")
    n_pairs, n_attributes = np.subtract(whole.shape, kept.shape)
    left_out = f"left out: {n_pairs} pairs and {n_attributes} attributes, with sentences that were refused"
    ratings = attributes.loc[kept.columns].astype(float)
    texts = observations.drop_duplicates("pair").set_index("pair")[list(GUISES)].map(content)
    keys = (texts.loc[pair].items() for pair in kept.index.get_level_values("pair"))
    given = kept.index.get_level_values("unit")
    unit = repeats.firsts(given, keys)
    notes = left_out if n_pairs + n_attributes else None, repeats.remark(given.nunique(), len(set(unit)), "units")
    return kept.groupby(unit).mean().rename_axis("unit"), ratings, "; ".join(filter(None, notes)) or None


def crossed(table: pd.DataFrame, ratings: pd.Series, variant: str) -> tuple[Mean | None, str | None]:
    """MEAN or SLOPE of differences, with an error over units and attributes; None, and why, if there are too few of
    either. table, ratings: of `differences`."""
    if variant == SLOPE:
        table = table[ratings.dropna().index]
    n, k = table.shape
    if n < score.FEWEST_UNITS or k < score.FEWEST_ATTRIBUTES:
        rated = "rated attributes" if variant == SLOPE else "attributes"
        few = f"{score.FEWEST_UNITS} units and {score.FEWEST_ATTRIBUTES} {rated}"
        return None, f"of {n} units and {k} {rated}: it needs {few}"
    values = table.to_numpy()
    if variant == MEAN:
        return score.mean(values), None
    of_table = ratings.dropna().to_numpy()
    if np.ptp(of_table) == 0:
        return None, "all attributes that were scored have the same rating"
    return score.slope(values, of_table), None


def measure(
    model: Model, name: Name, sentences: Sentences, scores: Scores, level: float, correction: str, seed: int
) -> tuple[Observations, Numbers]:
    """The association of attributes with a dialect, and of their ratings with that. Arguments as of `estimates`."""
    observations = stimuli.observe(sentences, scores)
    return observations, estimates(model, name, observations, level, correction, seed)


def estimates(model: str, name: str, observations: Observations, level: float, correction: str, seed: int) -> Numbers:
    """Tidy rows: `unit` is the name of the guises, `group` an attribute or `all`, `n` the number of units.

    `association` of each attribute, with a sign-flip test over units, adjusted over attributes; `mean` of all
    attributes; with ratings also `slope` and, as published, `correlation` and `top_rating`. seed: of the study.
    """
    table, ratings, left_out = differences(observations)
    random = stream(seed, METRIC, name)
    rows = [
        {"definition": OWN, "variant": ASSOCIATION, "group": attribute}
        | _of_attribute(values.to_numpy(), level, random)
        for attribute, values in table.items()
    ]
    p_adjusted = adjust(np.array([row["p_value"] for row in rows], dtype=float), correction)
    rows = [row | {"p_adjusted": p} for row, p in zip(rows, p_adjusted, strict=True)]
    is_rated = observations["rating"].notna().any()
    for variant in (MEAN, SLOPE) if is_rated else (MEAN,):
        result, why_not = crossed(table, ratings, variant)
        row = {"definition": OWN, "variant": variant, "group": ALL, "note": why_not}
        rows.append(row if result is None else row | _of_mean(result, t_p_value(result), level))
    if is_rated:
        rows += _as_published(table[ratings.dropna().index], ratings.dropna().to_numpy())
    place = {"model": model, "metric": METRIC, "unit": name, "n": len(table)}
    over = "pairs" if observations.groupby("unit")["pair"].nunique().max() == 1 else "units of pairs"
    notes = ["; ".join(filter(None, [row.get("note"), left_out])) or None for row in rows]
    return tidy(pd.DataFrame(rows).assign(**place, note=notes), over=over)


def _of_attribute(values: np.ndarray, level: float, random: np.random.Generator) -> dict:
    """values: (n_units,)."""
    if len(values) < 2:
        return {"estimate": values.mean() if len(values) else np.nan, "p_value": np.nan, "note": "fewer than two units"}
    return _of_mean(sample_mean(values), sign_flip(values, random), level)


def _of_mean(mean: Mean, p_value: float, level: float) -> dict:
    row = {"estimate": mean.estimate, "std_error": mean.std_error}
    low, high = t_interval(mean, level)
    return row | {"ci_low": low, "ci_high": high, "p_value": p_value, "p_adjusted": p_value}


def _as_published(table: pd.DataFrame, ratings: np.ndarray) -> list[dict]:
    """table: of attributes with ratings, which are (n_attributes,)."""
    place = {"definition": PAPER, "group": ALL}
    if table.empty or len(ratings) <= score.TOP:
        few = f"of {len(ratings)} rated attributes: a stereotype has {score.TOP}, and some must be left"
        return [place | {"variant": variant, "note": few} for variant in (CORRELATION, TOP_RATING)]
    r, p = score.correlation(table.to_numpy(), ratings)
    top = score.top_rating(table.to_numpy(), ratings)
    note = f"all rated attributes: {ratings.mean():.3g}"
    return [
        place | {"variant": CORRELATION, "estimate": r, "p_value": p, "note": "p takes these pairs as given"},
        place | {"variant": TOP_RATING, "estimate": top, "note": note},
    ]


def changes(
    name: Name, compared: Sequence[Sequence[str]], observations: dict[Model, Observations], level: float
) -> Changes:
    """The slope on ratings, or without these the mean; paired by unit and attribute. compared: of
    `models.comparisons`."""
    rows = []
    for comparison in compared:
        tables = [differences(observations[model])[0] for model in comparison[2:]]
        before, after = tables[0].align(tables[1], join="inner")
        ratings = differences(observations[comparison[2]])[1].loc[before.columns]
        variant = SLOPE if ratings.notna().any() else MEAN
        (first, why_not), (second, _), (difference, _) = (
            crossed(table, ratings, variant) for table in (before, after, after - before)
        )
        sides = [one and by_mean(one, level) for one in (first, second)]
        rows.append(change(comparison, METRIC, f"{name}: {variant}", *sides, difference, n=len(before), note=why_not))
    return as_changes(rows)


# --- tables for people ---


def laid_out(numbers: Numbers) -> pd.DataFrame:
    return numbers[COLUMNS]


def pairs(observations: dict[Place, Observations]) -> pd.DataFrame:
    tables = [table.assign(model=model, guises=name) for (model, name), table in observations.items()]
    return pd.concat(tables)[["guises", "model", *stimuli.OBSERVATIONS.fields.names]]
