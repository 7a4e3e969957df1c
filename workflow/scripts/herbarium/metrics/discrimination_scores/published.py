"""The scores as published: fixed effects of a mixed model whose effects differ between decisions, fitted by lme4.

    y ~ x1 + x2 + … + (1 + x1 + x2 + … | decision)

with the contrasts of `score.design` as x: numbers in standard deviations, levels against their reference.
"""

from collections.abc import Callable, Mapping

import pandas as pd

from herbarium.metrics.discrimination_scores import score, stimuli
from herbarium.metrics.discrimination_scores.numbers import COLUMNS, DIFFERENCE, PAPER, told
from herbarium.statistics.inference import Mean, t_interval
from herbarium.statistics.lme4 import Fit, RefusedError

Fitter = Callable[[pd.DataFrame, str], Fit]
_SINGULAR = "singular: a variance of 0, or effects that vary together"
_NOT_CONVERGED = "lme4 has not converged"


def formula(n: int, random_slopes: bool = True) -> str:
    """Of n contrasts, x0 … in `data`. random_slopes: as published; False: only the intercept is random."""
    fixed = " + ".join(f"x{number}" for number in range(n))
    return f"y ~ {fixed} + (1 + {fixed} | decision)" if random_slopes else f"y ~ {fixed} + (1 | decision)"


def data(x: pd.DataFrame, y: pd.Series, decision: pd.Series) -> pd.DataFrame:
    """The data of `formula`. Arguments as of `score.of_decisions`."""
    named = x.set_axis([f"x{number}" for number in range(x.shape[1])], axis=1)
    return named.assign(y=y, decision=decision.astype(str))


def measure(
    model: str, name: str, observations: pd.DataFrame, effects: Mapping, level: float, fit: Fitter
) -> pd.DataFrame:
    """Tidy rows: a fixed effect of each contrast, with Satterthwaite's t interval and p-value, not adjusted; `n` is the
    number of prompts. Without numbers, and with the reason, if lme4 refuses the model. fit: `lme4.fit`."""
    x = score.design(stimuli.persons(observations, **effects), **effects)
    known = observations["log_odds"].notna()
    rows = pd.DataFrame({"group": x.columns, "n": int(known.sum())}).assign(definition=PAPER, variant=DIFFERENCE)
    rows = rows.reindex(columns=["group", *COLUMNS[3:]]).assign(over="prompts")
    table = data(x[known], observations.loc[known, "log_odds"], observations.loc[known, "alike"])
    try:
        fitted = fit(table, formula(x.shape[1]))
    except RefusedError as refused:
        return told(rows.assign(converged=False, note=f"not fitted: {refused}"), model, name, observations)
    of_terms = fitted.fixed.set_index("term").loc[[f"x{number}" for number in range(x.shape[1])]]
    means = [Mean(row.estimate, row.std_error**2, row.df) for row in of_terms.itertuples()]
    bounds = [t_interval(mean, level) for mean in means]
    notes = [text for text, holds in ((_NOT_CONVERGED, not fitted.converged), (_SINGULAR, fitted.singular)) if holds]
    rows = rows.assign(
        **{column: of_terms[column].to_numpy() for column in ("estimate", "std_error", "p_value")},
        ci_low=[low for low, _ in bounds],
        ci_high=[high for _, high in bounds],
        converged=fitted.converged,
        note="; ".join(notes) or None,
    )
    return told(rows, model, name, observations)
