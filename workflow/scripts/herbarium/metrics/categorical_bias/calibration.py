"""Categorical Bias of models with a planted bias, compared with what the planted distribution implies."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from herbarium.metrics.categorical_bias import planted as testbed
from herbarium.metrics.categorical_bias import score as cb
from herbarium.metrics.categorical_bias.numbers import METRIC, PRIMARY, CrossForm, Cube, cross_form, cube, tokens_of
from herbarium.metrics.categorical_bias.stimuli import Languages, Lists, by_first_definition, leading, of_leading
from herbarium.statistics import calibration
from herbarium.statistics.calibration import Panel

_SHARED = {"section": "ethnic-robustness", "counted": "targets"}
PANELS = {
    PRIMARY: Panel(
        METRIC,
        "Categorical Bias: covariance across forms",
        "covariance of log P' (squared natural logarithms)",
        **_SHARED,
    ),
    "cb": Panel(
        f"{METRIC}_cb",
        "Categorical Bias: CB",
        "variance of log P' (squared natural logarithms)",
        never_negative="a variance",
        **_SHARED,
    ),
}


def rows(
    numbers: pd.DataFrame,
    associations: pd.DataFrame,
    cut: pd.DataFrame,
    lists: Mapping[str, Lists],
    languages: Languages,
    planted: Mapping[str, float | None],
    ddof: int,
    seed: int,
) -> pd.DataFrame:
    """The primary number and CB of each language's leading list, one series each: rows of the schema "calibration".

    numbers: tidy rows of metric "categorical_bias". associations, cut: of the schemas "associations" and
    "attribute_tokens". lists: language -> its leading list. planted: model -> strength, None if nothing is planted.
    """
    titles = {f"{language}/{name}": language for language, name in leading(languages).items()}
    is_score = (numbers["metric"] == METRIC) & (numbers["unit"] == "list") & numbers["group"].isin(titles)
    scores = by_first_definition(numbers[is_score])
    scores = scores.assign(series=scores["group"].map(titles), planted=scores["model"].map(planted).astype(float))
    known = by_first_definition(of_leading(associations, languages))
    known = known[known["model"].map(planted).notna()]
    implied = pd.DataFrame(
        [
            {"model": model, "series": language, **row}
            for (model, language), group in known.groupby(["model", "language"])
            for row in _implied(group, cut, lists[language], planted[model], ddof, seed)
        ],
        columns=["model", "series", "variant", "expected", "learned"],
    )
    scores = scores.merge(implied, on=["model", "series", "variant"], how="left", sort=False)
    return pd.concat(
        [calibration.rows(panel, scores[scores["variant"] == variant]) for variant, panel in PANELS.items()],
        ignore_index=True,
    )


def _implied(
    associations: pd.DataFrame, cut: pd.DataFrame, lists: Lists, strength: float, ddof: int, seed: int
) -> list[dict]:
    """Expected and learned values of each of `PANELS`, for a model and language."""
    tested = cube(associations, lists, additional_attributes=False, additional_targets=False)
    if tested.fault is not None:
        return []
    truth = testbed.log_p_prime(lists, strength, seed).loc[tested.lists.attributes["key"], tested.lists.targets["key"]]
    tokens = cut[
        (cut["model"] == associations["model"].iloc[0]) & (cut["language"] == associations["language"].iloc[0])
    ]
    primary = cross_form(tested, tokens_of(tokens, associations["list"].iloc[0]))
    learned = slope(tested, truth.to_numpy())
    expectations = [{"variant": "cb", "expected": cb.score(truth.to_numpy()[None], ddof), "learned": learned}]
    if not isinstance(primary, str):
        expectations.append({"variant": PRIMARY, "expected": expected(primary, truth), "learned": learned})
    return expectations


def expected(cross: CrossForm, truth: pd.DataFrame) -> float:
    """The covariance of forms if both follow the planted distribution. truth: of all words, attributes by targets."""
    both = np.stack([truth.loc[cross.attributes, cross.targets].to_numpy()] * 2)
    covariance = cb.Forms.of(both, np.array([True, False]), cross.forms.strata, cross.forms.classes).covariance()
    return round(covariance, 12)  # with strength 0, rounding leaves more than 0


def slope(measured: Cube, truth: np.ndarray) -> float:
    """Slope of log P', its mean over templates, on what was planted, both without main effects of attributes and
    targets; nan if nothing was planted."""
    wanted = calibration.without_means(truth)
    size = (wanted**2).sum()
    return (
        float((calibration.without_means(measured.log_p.mean(axis=0)) * wanted).sum() / size)
        if size > 1e-12
        else np.nan
    )
