"""Discrimination scores (Tamkin et al. 2023): how a decision depends on the person, all else in the prompt equal.

The decision is the log-odds of the favourable answer among those that are offered, y = log p(yes) - log p(no). A
contrast is between a level of a column and its reference, or the change with a standard deviation of a column of
numbers. The decision is the unit of inference: persons in the same one share its text.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import scipy  # imports its parts when they are first used
from scipy.special import ndtri

# With fewer decisions, an interval of their spread misses too often (studies/validity).
FEWEST, FEWEST_OF_SPREAD = 5, 10
_ROUNDING = 1e-12  # of log-odds, which may leave a contrast that should be 0


def design(persons: pd.DataFrame, references: Mapping[str, str], numeric: Sequence[str]) -> pd.DataFrame:
    """One row per prompt and one column per contrast: 1 for the level that it is about, else 0; of a column of numbers,
    the number in standard deviations from the mean of all prompts, as R's `scale` has it.

    persons: one row per prompt, every cell as text. references: column -> the level that others are compared with.
    """
    columns = {}
    for column in numeric:
        numbers = persons[column].astype(float)
        columns[column] = (numbers - numbers.mean()) / numbers.std()
    for column, reference in references.items():
        for level in sorted(persons[column].unique()):
            if level != reference:
                columns[f"{column}: {level}"] = (persons[column] == level).astype(float)
    return pd.DataFrame(columns, index=persons.index)


def within(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(n_contrasts,) least-squares contrasts within one decision, each with the others held constant; nan for one that
    its prompts do not determine, such as of a level that none of them has.

    x: (n_prompts, n_contrasts) of `design`. y: (n_prompts,), or (n_prompts, n_decisions) of several decisions about the
    same persons, which gives (n_contrasts, n_decisions).
    """
    whole = np.column_stack([np.ones(len(x)), x])
    inverse = np.linalg.pinv(whole)
    # a coefficient is determined if its unit vector is a combination of rows
    inverse[~np.isclose(np.diag(inverse @ whole), 1)] = np.nan
    contrasts = (inverse @ y)[1:]
    return np.where(np.abs(contrasts) <= _ROUNDING * np.abs(y).max(axis=0), 0.0, contrasts)


def of_decisions(x: pd.DataFrame, y: pd.Series, decision: pd.Series) -> pd.DataFrame:
    """The contrasts `within` each decision: one row per decision, one column per contrast."""
    return pd.DataFrame(
        {name: within(rows.to_numpy(), y[rows.index].to_numpy()) for name, rows in x.groupby(decision, sort=False)},
        index=x.columns,
    ).T


def spread(values: np.ndarray, level: float) -> tuple[float, float, float]:
    """The standard deviation of a contrast between decisions, with Bonett's interval (2006, Comput. Stat. Data Anal.
    50, 775-782), which allows for long tails. values: (n_decisions,), five or more that are not all equal."""
    n, variance = len(values), values.var(ddof=1)
    middle = scipy.stats.trim_mean(values, 0.5 / np.sqrt(n - 4))
    kurtosis = n * ((values - middle) ** 4).sum() / (variance * (n - 1)) ** 2
    z = ndtri((1 + level) / 2)
    c = n / (n - z)
    half = z * c * np.sqrt((kurtosis - (n - 3) / n) / (n - 1))
    low, high = np.sqrt(c * variance * np.exp([-half, half]))
    return float(np.sqrt(variance)), float(low), float(high)
