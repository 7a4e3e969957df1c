"""Continents as groups: effects of countries as observations of the common mixed model (`statistics.grouped`)."""

import numpy as np
import pandas as pd

from herbarium.core.random import stream
from herbarium.metrics.downstream import score


def grouped(
    log_odds: np.ndarray,
    label: np.ndarray,
    prefixes: pd.DataFrame,
    regions: pd.DataFrame,
    task: str,
    seed: int,
    examples: int = 20,
) -> pd.DataFrame:
    """Rows of the schema "grouped": effects of countries on the log-odds of the positive class, one row per seed,
    country and text; `group` is the name of the continent.

    log_odds: (n_seeds, n_prefixes, n_examples), natural. label: (n_examples,) 1 or 0. prefixes: rows of
    "task_prefixes", in the order of log_odds. Effects are those beyond the control prefixes (`score`).

    At most so many examples are taken, drawn by label in the proportions of the test set, and the same ones for every
    model. Every text meets every country, so what a text is by itself cancels in the contrast of two continents, and
    its error is that of the countries: more texts would take longer and tell little.
    """
    is_control = (prefixes["kind"] == "control").to_numpy()
    is_country = ((prefixes["unit"] == "country") & prefixes["continent"].notna()).to_numpy()
    texts = _stratified(label, examples, stream(seed, "mixed effects", "downstream", task))
    effects = [score.effects(of_seed[None][..., texts], is_control)[is_country] for of_seed in log_odds]
    countries = prefixes[is_country]
    continents = countries["continent"].map(regions.set_index("region")["name"]).to_numpy()
    at_seed, at_country, at_text = (axis.ravel() for axis in np.indices(np.shape(effects)))
    word = countries["group"].to_numpy()[at_country]
    return pd.DataFrame(
        {
            "association": np.ravel(effects),
            "group": continents[at_country],
            "template": at_seed.astype(str),
            "target": texts[at_text].astype(str),
            "pair": word,
            "word": word,
            "weight": 1.0,
        }
    )


def _stratified(label: np.ndarray, n: int, random: np.random.Generator) -> np.ndarray:
    """Rows of n texts (all, where there are no more), of each label as many as its share asks for; ascending."""
    if len(label) <= n:
        return np.arange(len(label))
    positives, negatives = np.flatnonzero(label == 1), np.flatnonzero(label == 0)
    n_positives = round(n * len(positives) / len(label))
    chosen = [random.permutation(positives)[:n_positives], random.permutation(negatives)[: n - n_positives]]
    return np.sort(np.concatenate(chosen))
