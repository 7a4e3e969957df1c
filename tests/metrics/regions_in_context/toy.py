"""Vectors of words in sentences on regions, whose directions and leans are known, as a source would give them."""

import numpy as np
import pandas as pd

from herbarium.metrics.regions_in_context import numbers
from herbarium.vectors.tables import Vectors

LAYERS = ["0", "1"]
SETTINGS = numbers.Settings(4, 0.95, 7)
DIMENSIONS = 8


def design(n_words=12, n_regions=6, templates=("one", "two")):
    """Stereotypes of two dimensions; two topics, whose words alternate, and one continent."""
    random = np.random.default_rng(5)
    of_pairs = random.normal(size=(n_words, 2)) @ random.normal(size=(2, n_regions))
    words, regions = (
        [f"{what}{number}" for number in range(n)] for what, n in (("w", n_words), ("country:", n_regions))
    )
    rows = pd.MultiIndex.from_product([templates, words, regions], names=["template", "description", "region"])
    rows = rows.to_frame(index=False).assign(stereotype=np.tile(of_pairs.ravel(), len(templates)))
    topics = rows["description"].str[1:].astype(int) % 2
    return rows.assign(topic="topic" + topics.astype(str), continent="continent:SA")


def vectors(of, naming=1.0, lean=1.0, seed=0):
    """In layer 0 nothing depends on the region; in layer 1 each region moves all words along an axis of its own, and
    words stand along those of the regions that stereotypes link them to."""
    shape = [of[column].nunique() for column in ("template", "description", "region")]
    random, (_, n_words, n_regions) = np.random.default_rng(seed), shape
    toward = np.eye(DIMENSIONS)[:n_regions]
    base = 0.5 * random.normal(size=(n_words, 1, DIMENSIONS))
    stereotypes = of["stereotype"].to_numpy().reshape(shape)[0]
    leaning = lean * (stereotypes @ toward)[:, None]
    values = np.empty((*shape, 2, DIMENSIONS))
    values[..., 0, :] = base
    values[..., 1, :] = base + leaning + naming * toward + 0.3 * random.normal(size=(*shape, DIMENSIONS))
    n = len(of)
    values = values.reshape(n, 2, DIMENSIONS).astype(np.float32)
    return Vectors(LAYERS, values, np.ones(n, dtype=int), np.array([None] * n, dtype=object))


def measured(source="strong", sentences=None, stereotypes=True, **known):
    sentences = design() if sentences is None else sentences
    crossed = numbers.crossed(sentences, vectors(sentences, **known))
    if not stereotypes:
        crossed = crossed._replace(stereotypes=np.full_like(crossed.stereotypes, np.nan))
    return numbers.measure(source, "few", crossed, LAYERS, SETTINGS)
