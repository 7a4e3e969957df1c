"""The corpus to decide: its instances, their groups, and the rates in training.

An instance is a test text with the prefix of a country, in the group of that country. A text names the same things
whichever country is put before it, so that only prefixes distinguish groups, and no instance is in two of them.

Or an instance is a test text as it is, in all groups that it names itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from herbarium.core.errors import HerbariumError
from herbarium.decisions.constraints import Problem
from herbarium.regions import mentions
from herbarium.regions.mentions import CONTINENT

PREFIXED, NAMED = "prefixed", "named"
_COUNTRY = "country"  # the unit of a prefix
_SHOWN = 5


@dataclass(frozen=True)
class Corpus:
    """
    groups: rows `region, name`, of those kept. left_out: rows `region, name, n`: of the other groups of instances, with
    their fewest training texts in a set. prefix, text: (n,) number of each instance's prefix and test text. pairs:
    (n_pairs, 2) instance and group. rate, n_training: (K, m) positive rate of each group among the training texts of
    each set that name it, and the number of these. label: (n,) of the text.
    """

    groups: pd.DataFrame
    left_out: pd.DataFrame
    prefix: np.ndarray
    text: np.ndarray
    pairs: np.ndarray
    rate: np.ndarray
    n_training: np.ndarray
    label: np.ndarray

    @property
    def text_number(self) -> np.ndarray:
        """(n,) as `text`, numbered without gaps: texts without a group have no instance."""
        return np.unique(self.text, return_inverse=True)[1]

    def log_odds(self, predicted: np.ndarray) -> np.ndarray:
        """(K, n) of instances. predicted: (K, n_prefixes, n_texts), as in `predictions.gather`."""
        return predicted[:, self.prefix, self.text]

    def problem(self, of_set: int, log_odds: np.ndarray, margin: float) -> Problem:
        """The problem of one set. log_odds: (n,)."""
        return Problem(log_odds, self.pairs, self.rate[of_set], margin)

    def put_back(self, predicted: np.ndarray, log_odds: np.ndarray) -> np.ndarray:
        """(n_prefixes, n_texts) predictions with those of the instances replaced; others, without a group, stay."""
        copy = predicted.copy()
        copy[self.prefix, self.text] = log_odds
        return copy


def corpus(
    examples: pd.DataFrame,
    prefixes: pd.DataFrame,
    regions: pd.DataFrame,
    groups: str,
    least_texts: int,
    n_sets: int,
    texts: str = PREFIXED,
    where: str = "",
) -> Corpus:
    """The corpus of a task.

    examples: table "task_examples"; prefixes: "task_prefixes"; regions: "regions". groups: "continent" or "country".
    least_texts: training texts that must name a group in each set. n_sets: of classifiers, one per training set; a
    single one has all training texts. texts: PREFIXED or NAMED. where: the key of the configuration, for messages.

    Raises HerbariumError, with names and numbers, if fewer than two groups are kept.
    """
    known = mentions.groups(regions, groups)
    test = examples[examples["split"] == "test"]
    training = examples[examples["split"] == "train"]
    by_set = [training if n_sets == 1 else training[training["set"] == number + 1] for number in range(n_sets)]
    counted = [_rates(sample, regions, groups, len(known)) for sample in by_set]
    n_training, positive = (np.stack(arrays) for arrays in zip(*counted, strict=True))
    if texts == NAMED:
        prefix, text = np.zeros(len(test), dtype=int), np.arange(len(test))
        pairs = mentions.named(test["text"].tolist(), regions, groups)
    else:
        countries = prefixes[prefixes["unit"] == _COUNTRY]
        prefix, text = (
            grid.ravel() for grid in np.meshgrid(countries["prefix"].to_numpy(), np.arange(len(test)), indexing="ij")
        )
        group = mentions.number_of(regions, groups).reindex(countries["group"]).to_numpy()
        pairs = np.column_stack([np.arange(len(prefix)), np.repeat(group, len(test)).astype(int)])
    has_instances = np.bincount(pairs[:, 1], minlength=len(known)) > 0
    fewest = n_training.min(axis=0)
    is_kept = has_instances & (fewest >= least_texts)
    left_out = known.assign(n=fewest)[has_instances & ~is_kept].reset_index(drop=True)
    if is_kept.sum() < 2:
        raise HerbariumError(
            f"{where}: {_too_few(known[is_kept], left_out, least_texts, groups, texts)} Take a smaller `least_texts`, "
            f"{'' if groups == CONTINENT else '`groups: continent`, '}fewer training sets, or more texts."
        )
    numbers = np.where(is_kept, np.cumsum(is_kept) - 1, -1)
    pairs = np.column_stack([pairs[:, 0], numbers[pairs[:, 1]]])
    pairs = pairs[pairs[:, 1] >= 0]
    used, pairs[:, 0] = np.unique(pairs[:, 0], return_inverse=True)
    return Corpus(
        known[is_kept].reset_index(drop=True),
        left_out,
        prefix[used],
        text[used],
        pairs,
        positive[:, is_kept] / n_training[:, is_kept],
        n_training[:, is_kept],
        test["label"].to_numpy(dtype=float)[text[used]],
    )


def _rates(texts: pd.DataFrame, regions: pd.DataFrame, level: str, m: int) -> tuple[np.ndarray, np.ndarray]:
    """(m,) training texts that name each group, and positive ones among them."""
    pairs = mentions.named(texts["text"].tolist(), regions, level)
    label = texts["label"].to_numpy()[pairs[:, 0]]
    return np.bincount(pairs[:, 1], minlength=m), np.bincount(pairs[:, 1], label, minlength=m)


def _too_few(regions_left: pd.DataFrame, left_out: pd.DataFrame, least: int, level: str, texts: str) -> str:
    place = "with a prefix" if texts == PREFIXED else "that test texts name"
    few = ", ".join(f"{row['name']} {row['n']}" for _, row in left_out[:_SHOWN].iterrows())
    more = f" and {len(left_out) - _SHOWN} more" if len(left_out) > _SHOWN else ""
    lack = f" Fewer have {few}{more}." if len(left_out) else ""
    mentioned = {0: "none", 1: "only " + str(regions_left["name"].iloc[0]) if len(regions_left) else ""}[
        len(regions_left)
    ]
    kinds: Mapping[str, str] = {"continent": "continents", "country": "countries"}
    return f"of the {kinds[level]} {place}, {mentioned} is named by {least} training texts of each set.{lack}"
