"""The corpus to decide: its instances, their groups, and the rates in training.

An instance is a test text with the prefix of a country, in the group of that country. A text names the same things
whichever country is put before it, so that only prefixes distinguish groups, and no instance is in two of them.

Or an instance is a test text as it is, in all groups that it names itself, or in its group by an attribute that columns
of the data name.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from herbarium.core.attributes import group_of
from herbarium.core.errors import HerbariumError
from herbarium.decisions.constraints import Problem
from herbarium.regions import mentions
from herbarium.regions.mentions import CONTINENT, COUNTRY, LEVELS
from herbarium.statistics.repeats import numbered, remark

PREFIXED, NAMED = "prefixed", "named"
UNITS = (OF_REGIONS, OF_COLUMNS) = ("region", "text_group")  # what a group is of
_SHOWN = 5


@dataclass(frozen=True)
class Corpus:
    """
    groups: rows `region, name`, of those kept; of columns, the region is "{attribute}: {name}".
    left_out: rows `region, name, n`: of the other groups of instances, with their fewest training texts in a set.
    prefix, text: (n,) number of each instance's prefix and test text. unit_text: (n,) of the first test text that its
    own is alike (`repeats`): the unit of inference. pairs: (n_pairs, 2) instance and group. rate,
    n_training: (K, m) positive rate of each group among the training texts of each set that are in it, and the number
    of these. label: (n,) of the text. unit: one of UNITS.
    """

    groups: pd.DataFrame
    left_out: pd.DataFrame
    prefix: np.ndarray
    text: np.ndarray
    unit_text: np.ndarray
    pairs: np.ndarray
    rate: np.ndarray
    n_training: np.ndarray
    label: np.ndarray
    unit: str = OF_REGIONS

    @property
    def text_number(self) -> np.ndarray:
        """(n,) as `unit_text`, numbered without gaps: texts without a group have no instance."""
        return np.unique(self.unit_text, return_inverse=True)[1]

    @property
    def repeated(self) -> str | None:
        """The note on texts that are alike, None if none are."""
        return remark(len(np.unique(self.text)), len(np.unique(self.unit_text)), "test texts")

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

    examples: table "task_examples"; prefixes: "task_prefixes"; regions: "regions". groups: "continent" or "country", or
    an attribute of the examples. least_texts: training texts of a group in each set. n_sets: of classifiers, one per
    training set; a single one has all training texts. texts: PREFIXED or NAMED, for groups of regions. where: the key
    of the configuration, for messages.

    Raises HerbariumError, with names and numbers, if fewer than two groups are kept.
    """
    unit = OF_REGIONS if groups in LEVELS else OF_COLUMNS
    known = mentions.groups(regions, groups) if unit == OF_REGIONS else _named_groups(examples, groups)

    def pairs_of(rows: pd.DataFrame) -> np.ndarray:
        if unit == OF_REGIONS:
            return mentions.named(rows["text"].tolist(), regions, groups)
        group = group_of(rows["groups"], groups, known["name"].tolist())
        return np.column_stack([np.flatnonzero(group >= 0), group[group >= 0]])

    test = examples[examples["split"] == "test"]
    training = examples[examples["split"] == "train"]
    by_set = [training if n_sets == 1 else training[training["set"] == number + 1] for number in range(n_sets)]
    counted = [_rates(sample["label"].to_numpy(), pairs_of(sample), len(known)) for sample in by_set]
    n_training, positive = (np.stack(arrays) for arrays in zip(*counted, strict=True))
    if texts == NAMED or unit == OF_COLUMNS:
        prefix, text = np.zeros(len(test), dtype=int), np.arange(len(test))
        pairs = pairs_of(test)
    else:
        countries = prefixes[prefixes["unit"] == COUNTRY]
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
            f"{'`groups: continent`, ' if groups == COUNTRY else ''}fewer training sets, or more texts."
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
        numbered(test["text"])[text[used]],
        pairs,
        positive[:, is_kept] / n_training[:, is_kept],
        n_training[:, is_kept],
        test["label"].to_numpy(dtype=float)[text[used]],
        unit,
    )


def _named_groups(examples: pd.DataFrame, attribute: str) -> pd.DataFrame:
    """The groups of an attribute that texts have, rows `region, name`, numbered from 0."""
    cells = (dict(cell) for cell in examples["groups"] if cell is not None)
    names = sorted({cell[attribute] for cell in cells if attribute in cell})
    return pd.DataFrame({"region": [f"{attribute}: {name}" for name in names], "name": names}, dtype=object)


def _rates(label: np.ndarray, pairs: np.ndarray, m: int) -> tuple[np.ndarray, np.ndarray]:
    """(m,) training texts of each group, and positive ones among them. label: (n,). pairs: (n_pairs, 2)."""
    return np.bincount(pairs[:, 1], minlength=m), np.bincount(pairs[:, 1], label[pairs[:, 0]], minlength=m)


def _too_few(regions_left: pd.DataFrame, left_out: pd.DataFrame, least: int, level: str, texts: str) -> str:
    kinds: Mapping[str, str] = {CONTINENT: "continents", COUNTRY: "countries"}
    place = "with a prefix" if texts == PREFIXED else "that test texts name"
    whole, verb = (f"{kinds[level]} {place}", "named by") if level in kinds else (f"groups of '{level}'", "in")
    few = ", ".join(f"{row['name']} {row['n']}" for _, row in left_out[:_SHOWN].iterrows())
    more = f" and {len(left_out) - _SHOWN} more" if len(left_out) > _SHOWN else ""
    lack = f" Fewer have {few}{more}." if len(left_out) else ""
    mentioned = {0: "none", 1: "only " + str(regions_left["name"].iloc[0]) if len(regions_left) else ""}[
        len(regions_left)
    ]
    return f"of the {whole}, {mentioned} is {verb} {least} training texts of each set.{lack}"
