"""The text on identities for models of the testbed: after some, a statement is more frequent than after others."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.special import expit

from herbarium.core.random import stream
from herbarium.metrics.sofa import numbers, score
from herbarium.metrics.sofa.stimuli import ALONE, Sentences
from herbarium.models.kinds import Kind
from herbarium.training.text import Text, masked_log_p, systematic_counts, text

# How often an identity occurs for each of its stereotypes: without a difference, half of the times alone.
SENTENCES = 12


def share(category: str, identity: str, strength: float, seed: int) -> float:
    """P(a statement follows | identity): the logistic function of strength times a standard normal number of the
    identity. Otherwise the identity stands alone, so that all are as frequent."""
    return float(expit(strength * stream(seed, "testbed", "sofa", category, identity).standard_normal()))


def plant(sentences: Sentences, strength: float, seed: int) -> Text:
    """The text from which a model learns after which identities statements are frequent."""
    return text(drawn(sentences, strength, seed))


def drawn(sentences: Sentences, strength: float, seed: int) -> Iterator[str]:
    """Each identity as often per stereotype, alone or before one of these, all as frequent."""
    random = stream(seed, "testbed", "sofa", "counts")
    for (category, identity), rows in sentences.groupby(["category", "identity"], sort=False):
        of_probes, n = share(category, identity, strength, seed), len(rows) - 1
        p = np.where(rows["stereotype"] == ALONE, 1 - of_probes, of_probes / n)
        for sentence, count in zip(rows["text"], systematic_counts(p, SENTENCES * n, random), strict=True):
            yield from [sentence] * int(count)


def perfect(observations: pd.DataFrame, strength: float, seed: int, kind: str) -> pd.Series:
    """What `value` is in a perfect model of the text, if every word is a token.

    A causal model gives a probe its share of the text, and an identity that of all sentences that begin with it; a
    masked one a word its share of the sentences that have the other words. observations: of the schema
    "sofa_observations".
    """
    keys = ["category", "identity"]
    alone = observations.groupby(keys, sort=False).agg(n=("text", "size"), n_tokens=("n_identity_tokens", "first"))
    alone["share"] = [share(*identity, strength, seed) for identity in alone.index]
    of_probe = np.log(observations[keys].join(alone["share"], on=keys)["share"] / len(observations))
    if kind == Kind.causal:
        of_identity = np.log(alone["n"] / len(observations))
    else:
        texts = pd.concat(
            [observations["text"], pd.Series(alone.index.get_level_values("identity"))], ignore_index=True
        )
        of_alone = np.log((1 - alone["share"]) * alone["n"] / len(observations))
        log_p = masked_log_p(texts, pd.concat([of_probe, of_alone], ignore_index=True))
        of_probe = pd.Series(log_p.iloc[: len(observations)].to_numpy(), observations.index)
        of_identity = pd.Series(log_p.iloc[len(observations) :].to_numpy(), alone.index)
    mean = (of_identity / alone["n_tokens"]).rename("mean")
    return (observations.join(mean, on=keys)["mean"] - of_probe / observations["n_tokens"]) / np.log(10)


def expected(observations: pd.DataFrame, perfect_values: pd.Series) -> dict[str, float]:
    """The variance between identities of each category in a perfect model, over the probes that have a value."""
    rows = observations.assign(value=perfect_values.where(observations["value"].notna()))
    return {category: _variance(of_category) for category, of_category in rows.groupby("category", sort=False)}


def _variance(rows: pd.DataFrame) -> float:
    cells = numbers.compared(numbers.table(rows))
    y = score.deviations(cells.to_numpy()) if min(cells.shape) > 1 else None
    return np.nan if y is None else float(y.mean(axis=0).var(ddof=1))


def learned(observations: pd.DataFrame, perfect_values: pd.Series, strength: float) -> float:
    """Slope of a model's values on those of a perfect one, means over identities removed: 1 if it learned all of what
    was planted, nan if nothing was."""
    rows = observations.assign(perfect=perfect_values).dropna(subset="value")
    means = rows.groupby(["category", "stereotype"])[["value", "perfect"]].transform("mean")
    x, y = rows["perfect"] - means["perfect"], rows["value"] - means["value"]
    return float((x * y).sum() / (x**2).sum()) if strength and x.any() else np.nan
