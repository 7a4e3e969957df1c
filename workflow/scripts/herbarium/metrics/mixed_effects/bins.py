"""The bias score of sentences by their pseudo-perplexity (Shrestha et al. 2025, Section 3.2.4 and Figure 1).

There are hundreds of small models, which only our own engine fits; its fits of the whole data are compared with lme4's
elsewhere.
"""

import numpy as np
import pandas as pd
import pyarrow as pa
import scipy  # imports its parts when they are first used

from herbarium.core.store import schema
from herbarium.metrics.mixed_effects.questions import Question, select
from herbarium.metrics.mixed_effects.stimuli import FEMALE, MALE, Lists, dimensions
from herbarium.statistics import mixed_model
from herbarium.statistics.inference import above_zero

# Sentences of a pseudo-perplexity from `low` to `high` (excluded); from 0 if `cumulative`. `share` is their share of
# all sentences.
BINS = schema(
    "mixed_effects_bins",
    ("model", pa.string()),
    ("data", pa.string()),
    ("definition", pa.string()),
    ("dimension", pa.string()),
    ("cumulative", pa.bool_()),
    ("low", pa.float64()),
    ("high", pa.float64()),
    ("estimate", pa.float64()),
    ("std_error", pa.float64()),
    ("p_value", pa.float64()),
    ("r2", pa.float64()),
    ("n", pa.int64()),
    ("share", pa.float64()),
    nullable=("estimate", "std_error", "p_value", "r2"),
)
WIDTH, NUMBER = 5.0, 20  # [0, 5), [5, 10), … as in the paper
_FEWEST = 20  # the fewest sentences of a bin for a model


def bins(model: str, data: str, lists: Lists, observations: pd.DataFrame) -> pd.DataFrame:
    """A table of the schema "mixed_effects_bins": male against female words in each dimension.

    data: the name of the stimuli. observations: of the schema "mixed_effects_observations". If a bin has too few
    sentences for a model, its numbers are null.
    """
    bounds = [(True, 0.0, WIDTH * i) for i in range(1, NUMBER + 1)] + [(True, 0.0, np.inf)]
    bounds += [(False, WIDTH * i, WIDTH * (i + 1)) for i in range(NUMBER)]
    bin_rows = []
    for definition, of_definition in observations.groupby("definition", sort=False):
        for dimension in dimensions(lists):
            rows, _ = select(of_definition, lists, Question(dimension, MALE, FEMALE))
            pppl = 1 / rows["weight"]
            for cumulative, low, high in bounds:
                of_bin = rows[(pppl >= low) & (pppl < high)]
                row = {"model": model, "data": data, "definition": definition, "dimension": dimension}
                row |= {"cumulative": cumulative, "low": low, "high": high}
                row |= {"n": len(of_bin), "share": len(of_bin) / max(len(rows), 1)}
                bin_rows.append(row | _numbers(of_bin))
    return pd.DataFrame(bin_rows).reindex(columns=BINS.fields.names)


def _numbers(data: pd.DataFrame) -> dict[str, float]:
    groups = [group for group in ("template", "target") if data[group].nunique() > 1]
    if len(data) < _FEWEST or data["group"].nunique() < 2 or not groups:
        return {}
    x = np.column_stack([np.ones(len(data)), data["group"]])
    codes = [pd.factorize(data[group])[0] for group in groups]
    design = mixed_model.design(x, codes, (data["weight"] / data["weight"].mean()).to_numpy())
    fitted = mixed_model.fit(design, data["association"].to_numpy())
    estimate, std_error = float(fitted.beta[1]), float(fitted.std_error[1])
    return {
        "estimate": estimate,
        "std_error": std_error,
        "p_value": float(above_zero(2 * scipy.stats.t.sf(abs(estimate / std_error), fitted.df[1]))),
        "r2": float(mixed_model.r2_marginal(design, fitted)),
    }
