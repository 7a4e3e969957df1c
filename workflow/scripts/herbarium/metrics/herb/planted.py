"""The text on regions for models of the testbed: its bias is planted, and therefore known.

docs/testbed.md defines its distribution, and says what metrics should find.
"""

from collections.abc import Mapping, Sequence
from itertools import cycle, islice

import numpy as np
import pandas as pd

from herbarium.core import resources
from herbarium.core.random import stream
from herbarium.regions.leans import affinities
from herbarium.training.text import log_softmax, systematic_counts

SENTENCES_PER_REGION = 440  # a multiple of HERB's 110 distinct descriptions: without bias each occurs equally often
BARE_PER_REGION = 8  # sentences that are a region's name alone


def region_description_log_p(regions: pd.DataFrame, descriptions: list[str], strength: float, seed: int) -> np.ndarray:
    """log P(description | region), shape (n_regions, n_descriptions): P ∝ exp(strength · a_r · b_d / √RANK).

    regions: rows `region`, `parent`, `name` of a hierarchy in any order; `parent` is null for its root. descriptions:
    distinct words. strength: 0 makes every row uniform.

    b_d and a region's own part of a_r are standard normal and depend on the seed and the word only. The root has no
    lean (a = 0), its children are independent, and below them a_child = √INHERITED a_parent + √(1 − INHERITED) own.

    Raises HerbariumError if a parent is not in the table, or the parents form a cycle.
    """
    return log_softmax(strength * affinities(regions, descriptions, seed))


def probabilities(
    regions: pd.DataFrame, descriptions: list[str], strength: float, seed: int, control: pd.DataFrame | None = None
) -> tuple[pd.DataFrame, np.ndarray]:
    """All regions with sentences, and P(description | region) of each. Arguments as for `region_sentences`."""
    p = np.exp(region_description_log_p(regions, descriptions, strength, seed))
    if control is None:
        return regions, p
    p = np.concatenate([p, np.full((len(control), len(descriptions)), 1 / len(descriptions))])
    return pd.concat([regions, control], ignore_index=True), p


def region_sentences(
    regions: pd.DataFrame,
    frames: Mapping[str, Sequence[tuple[str, str]]],
    strength: float,
    seed: int,
    control: pd.DataFrame | None = None,
) -> list[str]:
    """The text on regions. regions: as for `region_description_log_p`. frames: description -> the templates of its
    sentences, with [region] and [description], and the form that fills the latter; its sentences take turns. control:
    regions of made-up names (`control.regions`), for which every description is equally likely, whatever the strength.

    Sentences are made for each row except the roots: a name shared by several rows occurs with the mixture of their
    descriptions.
    """
    sentences = []
    regions, p = probabilities(regions, list(frames), strength, seed, control)
    for region, parent, name, row in zip(regions["region"], regions["parent"], regions["name"], p, strict=True):
        if pd.isna(parent):
            continue  # no metric has a sentence about the root
        counts = systematic_counts(row, SENTENCES_PER_REGION, stream(seed, "testbed", "sentences", region))
        for of_description, count in zip(frames.values(), counts, strict=True):
            texts = [resources.fill(template, region=name, description=form)[0] for template, form in of_description]
            sentences += islice(cycle(texts), int(count))
        sentences += [name] * BARE_PER_REGION
    return sentences
