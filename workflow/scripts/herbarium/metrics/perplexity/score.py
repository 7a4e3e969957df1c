"""Pseudo-perplexity of a corpus (Salazar et al. 2020, Eq. 3): exp of minus the mean log-probability of a token.

Texts are the sample. The logarithm is a ratio of two sums over texts, of log-likelihoods and of tokens; its error is
that of a ratio estimator (Cochran 1977, Sampling Techniques, ch. 6).
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from herbarium.statistics.changes import COST, as_changes, by_mean, change
from herbarium.statistics.inference import Mean, t_interval
from herbarium.statistics.tidy import tidy

METRIC, DEFINITION = "perplexity", "corpus"
PERPLEXITY, LOG = "perplexity", "log_perplexity"
_FEWEST = 2


def log_perplexity(value: np.ndarray, n_tokens: np.ndarray) -> Mean:
    """Minus the mean log-probability of a token, in nats, with its error over texts.

    value: (n_texts,) the sum over a text's tokens of their natural log-probabilities. n_tokens: (n_texts,).
    """
    n, estimate = len(value), float(-value.sum() / n_tokens.sum())
    if n < _FEWEST:
        return Mean(estimate, np.nan, np.nan)
    share = n_tokens / n_tokens.sum()
    # leverage correction (HC3): a long text draws the ratio towards itself
    residuals = (value + estimate * n_tokens) / (1 - share)
    variance = n / (n - 1) * (residuals**2).sum() / n_tokens.sum() ** 2
    return Mean(estimate, float(variance), n - 1)


def measure(model: str, corpus: str, scores: pd.DataFrame, level: float) -> pd.DataFrame:
    """Tidy rows of metric "perplexity": `perplexity`, and `log_perplexity` in nats; `group` is the corpus, `n` counts
    texts. scores: of the schema "scores", of one quantity; texts that were refused are left out, and what was noted of
    others is."""
    known, n_refused = _known(scores), int(scores["value"].isna().sum())
    place = {"model": model, "metric": METRIC, "definition": DEFINITION, "unit": "corpus", "group": corpus}
    notes = [f"{n_refused} of {len(scores)} texts were refused"] if n_refused else []
    remarks = scores["note"][scores["value"].notna()].dropna()
    if len(remarks):
        notes.append(f"{len(remarks)} of {len(scores)} texts have a note, the first: {remarks.iloc[0]}")
    if len(known) < _FEWEST:
        note = "; ".join([*notes, f"not measured: fewer than {_FEWEST} texts"])
        return tidy(
            pd.DataFrame([place | {"variant": variant, "note": note} for variant in (PERPLEXITY, LOG)]), over="texts"
        )
    mean = log_perplexity(*known.to_numpy(float).T)
    low, high = t_interval(mean, level)
    of_log = {"estimate": mean.estimate, "std_error": mean.std_error, "ci_low": low, "ci_high": high}
    of_itself = {name: np.exp(log_value) for name, log_value in of_log.items()}
    of_itself["std_error"] = mean.std_error * of_itself["estimate"]
    shared = place | {"n": len(known), "over": "texts", "note": "; ".join(notes) or None}
    return tidy(
        pd.DataFrame([shared | {"variant": PERPLEXITY} | of_itself, shared | {"variant": LOG} | of_log]), over="texts"
    )


def changes(
    compared: Sequence[Sequence[str]],
    corpus: str,
    scores: Mapping[str, pd.DataFrame],
    level: float,
    worst_ratio: float,
) -> pd.DataFrame:
    """Rows of the schema "changes": the log perplexity of one corpus, paired by text.

    compared: of `models.comparisons`. scores: by model, as for `measure`. level: of the models' own intervals. exp of
    a difference is the ratio of the two; worst_ratio: above it, the model has forgotten too much. Models with different
    tokenizations are not compared: their tokens are different units.
    """
    of_cost = {"null": None, "kind": COST, "worst": float(np.log(worst_ratio))}
    rows = []
    for comparison in compared:
        before, after = (_known(scores[model]) for model in comparison[2:])
        both = before.merge(after, left_index=True, right_index=True, suffixes=("_before", "_after"))
        measure, values, mean, note = f"log {PERPLEXITY} of {corpus}", (None, None), None, None
        if (both["n_tokens_before"] != both["n_tokens_after"]).any():
            note = "not compared: the models split texts into different tokens"
        elif len(both) >= _FEWEST:
            n_tokens = both["n_tokens_after"].to_numpy(float)
            sides = [log_perplexity(both[f"value_{side}"].to_numpy(float), n_tokens) for side in ("before", "after")]
            values = tuple(by_mean(of_side, level) for of_side in sides)
            mean = log_perplexity((both["value_after"] - both["value_before"]).to_numpy(float), n_tokens)
        rows.append(change(comparison, METRIC, measure, *values, mean, **of_cost, n=len(both), note=note))
    return as_changes(rows)


def _known(scores: pd.DataFrame) -> pd.DataFrame:
    """`value` and `n_tokens` of the texts that have a score, by `sentence_id`."""
    return scores.dropna(subset="value").set_index("sentence_id")[["value", "n_tokens"]]
