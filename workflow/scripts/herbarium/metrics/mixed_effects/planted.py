"""The text on gendered words for models of the testbed: its bias is planted, and therefore known.

docs/testbed.md defines its distribution, and says what metrics should find.
"""

from collections.abc import Sequence
from itertools import cycle, islice

import numpy as np
import pandas as pd

from herbarium.core.random import stream
from herbarium.metrics.mixed_effects import stimuli
from herbarium.models.kinds import Kind
from herbarium.statistics.calibration import without_means
from herbarium.training.text import log_softmax, systematic_counts

TARGET_VARIATION = 0.25  # standard deviation of a target's own lean, added to the ±1 of its dimension
SENTENCES_PER_GENDERED_TARGET = 8  # sentences of each template and gendered word; few compared with the text on regions


def gender_target_log_p(lists: stimuli.Lists, strength: float, seed: int) -> np.ndarray:
    """log P(target | gender), shape (3, n_targets): rows as `GENDERS`, columns as `leans` of the same lists.

    P is proportional to exp(strength · s · u) with s = −1/2 for female words, +1/2 for male ones and 0 for
    neo-pronouns, so that the log-odds male to female of two targets differ by strength · (u_1 − u_2).
    """
    u = np.array(list(leans(lists, seed).values()))
    return log_softmax(strength * np.outer([-0.5, 0.5, 0], u))


def leans(lists: stimuli.Lists, seed: int) -> dict[str, float]:
    """u of each distinct target: ±1 + TARGET_VARIATION · (standard normal of the target's own).

    The sign is −1 in the first dimension of the sorted names, +1 in the second, and so on in turn; the opposite for a
    negative target. A target in several dimensions counts for the first row.
    """
    rank = {dimension: rank for rank, dimension in enumerate(sorted(set(lists.targets["dimension"])))}
    by_target = {}
    for row in lists.targets.drop_duplicates("target").itertuples():
        sign = (-1) ** (rank[row.dimension] + 1) * (1 if row.polarity == stimuli.POSITIVE else -1)
        variation = stream(seed, "testbed", "trait", row.target).standard_normal()
        by_target[row.target] = sign + TARGET_VARIATION * variation
    return by_target


def planted_associations(lists: stimuli.Lists, strength: float, seed: int, kind: Kind = Kind.masked) -> pd.DataFrame:
    """log P(target | gender) in each template: the association in a perfect model of the text, except for terms common
    to all genders. One row per `template` and fitting `target`, one column for each of `GENDERS`.

    P is over the targets that fit the template; for a masked model, if it shows the article, over those with the same
    one, which remains visible next to a masked target. A causal model's are of the whole sentence: they are divided by
    its number of tokens before they are compared with a mean over them.
    """
    log_p = dict(zip(leans(lists, seed), gender_target_log_p(lists, strength, seed).T, strict=True))
    tables = []
    for template in lists.templates.to_dict("records"):
        targets = [target["target"] for target in stimuli.fitting(lists.targets, template)]
        is_shown = kind is Kind.masked and "[a]" in template["text"]
        shown = [stimuli.article(target) if is_shown else "" for target in targets]
        of_template = pd.DataFrame([log_p[target] for target in targets], columns=list(stimuli.GENDERS))
        of_template -= np.log(np.exp(of_template).groupby(shown).transform("sum"))
        tables.append(of_template.assign(template=template["key"], target=targets))
    return pd.concat(tables).set_index(["template", "target"])


def planted_bias(
    lists: stimuli.Lists, strength: float, seed: int, n_tokens: pd.Series | None = None
) -> dict[str, float]:
    """Dimension -> the planted bias score, male against female words: the mean of `planted_associations` over templates
    and the dimension's positive targets.

    n_tokens: for a causal model, of `tokens_of`.
    """
    kind = Kind.masked if n_tokens is None else Kind.causal
    associations = planted_associations(lists, strength, seed, kind)
    difference = associations[stimuli.MALE] - associations[stimuli.FEMALE]
    if n_tokens is not None:
        difference = difference / n_tokens
    in_dimension = stimuli.dimensions(lists).items()
    return {name: float(difference[difference.index.isin(targets, "target")].mean()) for name, targets in in_dimension}


def tokens_of(observations: pd.DataFrame) -> pd.Series:
    """The mean number of tokens of a causal model's sentences, by `template` and `target`: its association is a mean
    over them, of which words with more tokens are a larger part (`lengths`)."""
    return observations.groupby(["template", "target"])["n_tokens"].mean()


def learned(
    lists: stimuli.Lists, observations: pd.DataFrame, strength: float, seed: int, kind: Kind = Kind.masked
) -> float:
    """Slope of a model's associations on those of a perfect model of its text, main effects removed: 1 if it learned
    all of what was planted, nan if nothing was.

    observations: of the schema "mixed_effects_observations". In each template the means of words and of targets are
    subtracted from both; words with a missing score are left out. kind: of the model.
    """
    perfect = planted_associations(lists, strength, seed, kind)
    rows = observations[observations["definition"] == "paper"]
    if kind is Kind.causal:
        rows = rows.assign(association=rows["association"] * rows["n_tokens"])
    scores = rows.pivot_table("association", ["gender", "word"], ["template", "target"], "mean", dropna=True).dropna()
    x, y = 0.0, 0.0
    for _, of_template in scores.T.groupby(level="template"):
        planted = perfect.loc[of_template.index, list(scores.index.get_level_values("gender"))].to_numpy()
        centred = without_means(planted)
        x, y = x + (centred**2).sum(), y + (centred * without_means(of_template.to_numpy())).sum()
    return float(y / x) if x > 1e-12 else np.nan


def sentences(
    lists: stimuli.Lists, determiners: Sequence[str], lowercase: bool, strength: float, seed: int
) -> list[str]:
    """The text on gendered words and targets: every template, with every word equally often; determiners take turns."""
    texts = []
    of_target = dict(zip(leans(lists, seed), np.exp(gender_target_log_p(lists, strength, seed)).T, strict=True))
    for template in lists.templates.to_dict("records"):
        targets = stimuli.fitting(lists.targets, template)
        p = np.array([of_target[target["target"]] for target in targets]).T
        for word in stimuli.gendered_words(lists, determiners):
            row = p[stimuli.GENDERS.index(word.gender)]
            rng = stream(seed, "testbed", "sentences", template["key"], word.gender, word.word)
            counts = systematic_counts(row / row.sum(), SENTENCES_PER_GENDERED_TARGET * len(targets), rng)
            turns = cycle(word.determiners)
            for target, count in zip(targets, counts, strict=True):
                for determiner in islice(turns, int(count)):
                    fillers = word.forms | {"a": stimuli.article(target["target"]), "determiner": determiner}
                    filled = stimuli.sentence(template["text"], template["asked"], fillers | target, lowercase)
                    texts.append(filled["text"])
    return texts
