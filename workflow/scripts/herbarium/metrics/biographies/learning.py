"""The training data of probes and fine-tuned models, by training set, and the predictions of fine-tuned models."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.errors import HerbariumError
from herbarium.core.random import stream
from herbarium.core.store import schema
from herbarium.metrics.biographies.stimuli import AS_IS, MALE, TRAIN, few

# Predictions of a fine-tuned model for the test biographies of the measured occupations: the occupation, and whether
# the end of the text was cut off.
PREDICTIONS = schema(
    "biographies_predictions", ("biography", pa.int64()), ("occupation", pa.string()), ("truncated", pa.bool_())
)


class Divided(NamedTuple):
    """Biographies in one form. names: their occupations, in order. label: (n,), the number of each one's. is_man,
    is_train: (n,). of_set: (n_train,), the training set, from 0."""

    names: list[str]
    label: np.ndarray
    is_man: np.ndarray
    is_train: np.ndarray
    of_set: np.ndarray

    @property
    def cell(self) -> np.ndarray:
        """(n,): the cell of each (`score`)."""
        return 2 * self.label + self.is_man


def usable(design: pd.DataFrame, min_texts: int) -> tuple[pd.DataFrame, dict[str, str]]:
    """The biographies of occupations with enough of them, and the others, as in `few`. design: of the schema
    "biographies"."""
    left_out = few(design[design["form"] == AS_IS], min_texts)
    return design[~design["occupation"].isin(left_out)], left_out


def divided(design: pd.DataFrame, n_sets: int, unit: str, seed: int) -> Divided:
    """design: of `usable`, of one form; all forms have the same training sets. unit: the subject of the numbers."""
    names = sorted(design["occupation"].unique())
    label = design["occupation"].map({name: place for place, name in enumerate(names)}).to_numpy()
    is_man, is_train = (design["gender"] == MALE).to_numpy(), (design["part"] == TRAIN).to_numpy()
    cell = 2 * label + is_man
    of_set = parts(cell[is_train], n_sets, stream(seed, "biographies", unit, "sets"))
    return Divided(names, label, is_man, is_train, of_set)


def parts(cell: np.ndarray, n: int, random: np.random.Generator) -> np.ndarray:
    """(n_texts,): the training set, from 0, of each text. Those of a cell are distributed evenly, in random order."""
    order = random.permutation(len(cell))
    order = order[np.argsort(cell[order], kind="stable")]
    part = np.empty(len(cell), dtype=int)
    part[order] = np.arange(len(cell)) % n
    return part


def held_out(label: np.ndarray, share: float, random: np.random.Generator) -> np.ndarray:
    """(n_texts,): which texts of a training set are for early stopping: the share of each occupation, rounded.

    Raises HerbariumError if that leaves none.
    """
    place = pd.Series(random.permutation(len(label)))
    of_label = place.groupby(label)
    is_held_out = (of_label.rank() <= (share * of_label.transform("size")).round()).to_numpy()
    if not is_held_out.any():
        raise HerbariumError(
            f"biographies.training.validation_share: {share:g} of each of {len(np.unique(label))} occupations, of "
            f"{len(label)} texts in a training set, leaves no text for early stopping; take a larger share, more "
            "texts, or fewer biographies.sets."
        )
    return is_held_out
