"""What the vectors of words in context encode about the region that their sentence names, layer by layer, as tidy
numbers."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from herbarium.core.console import tracked
from herbarium.core.random import stream
from herbarium.metrics.regions_in_context import score
from herbarium.metrics.regions_in_context.names import (
    ACCURACY,
    AGREEMENT,
    COMMON,
    CONTROL,
    FEWEST_REGIONS,
    FEWEST_WORDS,
    METRIC,
    OF_LAYER,
    REGION,
    SELECTIVITY,
    SENTENCES,
    WORDS,
)
from herbarium.statistics import in_context
from herbarium.statistics.correlation import Strata
from herbarium.statistics.inference import Mean, t_interval
from herbarium.statistics.tidy import tidy, with_note
from herbarium.vectors.tables import Vectors

_NOTHING = "regions have equal vectors"
_NO_STEREOTYPES = "no stereotypes are given for these regions"
_ALIKE = "stereotypes do not differ within topics and continents"
_TESTED = "p_value", "p_adjusted"


class Settings(NamedTuple):
    """folds: of cross-validation. level: of the intervals. seed: the study's."""

    folds: int
    level: float
    seed: int


class Crossed(NamedTuple):
    """x: (n_templates, n_words, n_regions, n_layers, dimensions). stereotypes: (n_words, n_regions), nan if not given.
    topics, continents: of words and of regions. note: about what was left out."""

    x: np.ndarray
    stereotypes: np.ndarray
    topics: np.ndarray
    continents: np.ndarray
    note: str | None


def crossed(design: pd.DataFrame, vectors: Vectors) -> Crossed:
    """Vectors by template, description and region. design: of the schema "regions_in_context_design".

    A region without a vector for any description is left out, and then every description with a missing one.
    """
    shape = [design[column].nunique() for column in ("template", "description", "region")]
    x = vectors.values.reshape(*shape, *vectors.values.shape[1:])
    topics, continents, stereotypes = (
        design[column].to_numpy().reshape(shape)[0] for column in ("topic", "continent", "stereotype")
    )
    has = np.isfinite(x).all(axis=(0, 3, 4))
    regions = has.any(axis=0)
    words = has[:, regions].all(axis=1)
    has_vectors = {"regions": regions, "descriptions": words}
    notes = [
        f"{(~is_kept).sum()} of {is_kept.size} {what} have no vector"
        for what, is_kept in has_vectors.items()
        if not is_kept.all()
    ]
    return Crossed(
        x[:, words][:, :, regions],
        stereotypes[np.ix_(words, regions)],
        topics[words, 0],
        continents[0, regions],
        "; ".join(notes) or None,
    )


def measure(
    source: str, name: str, crossed_vectors: Crossed, layers: Sequence[str], settings: Settings
) -> pd.DataFrame:
    """All numbers of a source and a set, tidy. source, name: their names. layers: names of the layers."""
    keys, (n_words, n_regions) = {"metric": METRIC, "model": source, "unit": name}, crossed_vectors.stereotypes.shape
    if n_words < FEWEST_WORDS or n_regions < FEWEST_REGIONS:
        why = f"{n_words} descriptions and {n_regions} regions; at least {FEWEST_WORDS} and {FEWEST_REGIONS} are needed"
        rows = [_empty(layer, n_words, why) for layer in layers]
        return _tidied([row for of_layer in rows for row in of_layer], keys, crossed_vectors.note)
    by_layer = [crossed_vectors.x[..., layer, :].astype(float) for layer in range(len(layers))]
    effects = [score.effects(x.mean(axis=0)) for x in by_layer]
    leans = np.stack([score.leans(x.mean(axis=0)) for x in by_layer])
    strata = score.strata_of(crossed_vectors.topics), score.strata_of(crossed_vectors.continents)
    notes = {COMMON: _without_test(score.arrangements_in_common(*strata))}
    notes[AGREEMENT], has_agreement = _of_agreement(crossed_vectors, strata)
    tested = {COMMON: score.common_p_values(effects, *strata, stream(settings.seed, METRIC, "regions"))}
    if has_agreement:
        random = stream(settings.seed, METRIC, "words")
        tested[AGREEMENT] = score.agreement_p_values(leans, crossed_vectors.stereotypes, *strata, random)
    rows = []
    for place in tracked(range(len(layers)), len(layers), "layer", f"{source} {name}"):
        layer = layers[place]
        if not np.abs(effects[place]).max():
            rows += _empty(layer, n_words, _NOTHING)
            continue
        by_key = dict(_told(by_layer[place], settings))
        by_key[COMMON, REGION] = in_context.common(score.products(effects[place]))
        if has_agreement:
            by_key[AGREEMENT, REGION] = score.agreement(leans[place], crossed_vectors.stereotypes, *strata)
        for variant, definition in OF_LAYER:
            row = {"variant": variant, "definition": definition, "group": layer, "n": n_words}
            row["note"] = notes.get(variant)
            if (mean := by_key.get((variant, definition))) is not None:
                interval = score.agreement_interval if variant == AGREEMENT else t_interval
                low, high = interval(mean, settings.level)
                row |= {"estimate": mean.estimate, "std_error": mean.std_error, "ci_low": low, "ci_high": high}
            if variant in tested:
                row |= {name: values[place] for name, values in zip(_TESTED, tested[variant], strict=True)}
            if (variant, definition) == (ACCURACY, WORDS):
                row["note"] = f"{n_regions} regions; by chance {1 / n_regions:.3g}"
            rows.append(row)
    return _tidied(rows, keys, crossed_vectors.note)


def _of_agreement(crossed_vectors: Crossed, strata: tuple[np.ndarray, np.ndarray]) -> tuple[str | None, bool]:
    """The note on `score.agreement`, and whether there is one."""
    if not np.isfinite(crossed_vectors.stereotypes).all():
        return _NO_STEREOTYPES, False
    if np.abs(score.within(crossed_vectors.stereotypes, *strata)).max() < 1e-12:
        return _ALIKE, False
    words, regions = map(Strata, strata)
    notes = []
    sides = (
        ("descriptions", "topic", crossed_vectors.topics, words),
        ("regions", "continent", crossed_vectors.continents, regions),
    )
    for what, group, groups, side in sides:
        if len(np.unique(groups)) == len(groups):
            notes.append(f"no two {what} have a {group} in common, so that all are compared")
        elif side.n < len(groups):
            notes.append(f"{len(groups) - side.n} of {len(groups)} {what} are alone in their {group} and left out")
    notes.append(_without_test(min(words.arrangements, regions.arrangements)))
    return "; ".join(filter(None, notes)) or None, True


def _without_test(arrangements: int) -> str | None:
    """Why there is no p-value, if there are too few arrangements of words or regions."""
    if arrangements >= score.FEWEST_ARRANGEMENTS:
        return None
    return f"no test: {arrangements} arrangements within topics and continents; {score.FEWEST_ARRANGEMENTS} are needed"


def _empty(layer: str, n: int, why: str) -> list[dict]:
    common = {"group": layer, "n": n, "note": why}
    return [common | {"variant": variant, "definition": definition} for variant, definition in OF_LAYER]


def _tidied(rows: list[dict], keys: dict, note: str | None) -> pd.DataFrame:
    return with_note(tidy(pd.DataFrame([keys | row for row in rows]), over="descriptions"), note)


def _told(x: np.ndarray, settings: Settings) -> Iterator[tuple[tuple[str, str], Mean]]:
    """How well the region of a sentence is predicted, words or sentences held out, and how much of it from words alone.
    x: (n_templates, n_words, n_regions, dimensions)."""
    _, n_words, n_regions, dimensions = x.shape
    word, region = np.repeat(np.arange(n_words), n_regions), np.tile(np.arange(n_regions), n_words)
    flat, folds = x.reshape(len(x), -1, dimensions), settings.folds

    def random(what: str) -> np.random.Generator:
        return stream(settings.seed, METRIC, what)

    def right(label: np.ndarray, fold: np.ndarray) -> np.ndarray:
        return (score.told(flat, label, fold) == label).mean(axis=0)

    of_words = right(region, score.folds_of(n_words, folds, random(WORDS))[word])
    fold = score.folds_of(len(word), folds, random(SENTENCES))
    of_sentences = right(region, fold)
    control = right(in_context.control_labels(word, n_regions, random(CONTROL)), fold)
    values = {
        (ACCURACY, WORDS): of_words,
        (ACCURACY, SENTENCES): of_sentences,
        (CONTROL, SENTENCES): control,
        (SELECTIVITY, SENTENCES): of_sentences - control,
    }
    for key, value in values.items():
        yield key, in_context.of_told(value, word, folds)
