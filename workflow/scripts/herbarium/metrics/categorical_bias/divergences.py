"""How far apart languages are, and models of one language before and after a change: Jensen-Shannon divergence of
their distributions over targets (tidy numbers).

Ahn and Oh (2021, EMNLP), Section 6.1 and Tables 3 and 9. The paper says neither how sentences of two languages are
matched nor how their divergences are combined, and released no code for it. Here sentences are matched by meaning and
averaged.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from herbarium.core.console import tracked
from herbarium.metrics.categorical_bias import score as cb
from herbarium.metrics.categorical_bias.differences import LanguagePair, changed_pairs, language_pairs
from herbarium.metrics.categorical_bias.numbers import Cube, cube, of_variance
from herbarium.metrics.categorical_bias.stimuli import DEFINITIONS, Languages, Lists, of_leading
from herbarium.statistics import inference
from herbarium.statistics.tidy import tidy


def measure(
    associations: pd.DataFrame,
    lists: Mapping[str, Lists],
    languages: Languages,
    changed: Sequence[Sequence[str]],
    level: float,
) -> pd.DataFrame:
    """Tidy rows of metric "categorical_bias_divergences": pairs of languages, or of models, leading lists, base words.

    associations: of this schema, of every model and language. lists: language -> its leading list. changed: the
    names of models before and after each change. level: coverage of the intervals. The pairs are those of
    `language_pairs`, group "{a} − {b}", and of `changed_pairs`, group the language; unit "languages"; `n` is the number
    of shared targets. Models of different kinds are not compared.

    Variants: `jsd`, in nats, 0 to ln 2: of P'/sum P' over the shared targets, in sentences with the same attribute
    whose templates have the same meaning (`matched`); the mean over shared meanings and attributes. `sqrt_jsd`: its
    square root, the Jensen-Shannon distance.

    The divergence is specific to these targets. So the interval is over meanings and attributes, over which it is an
    unbiased mean.
    """
    cubes = {
        place: cube(rows, lists[place[1]], additional_attributes=False, additional_targets=False)
        for place, rows in of_leading(associations, languages).groupby(["model", "language", "definition"])
    }
    of_pairs = [*language_pairs(languages), *changed_pairs(languages, changed)]
    pairs = [
        (pair, definition)
        for pair in of_pairs
        for definition in DEFINITIONS
        if all((*side, definition) in cubes for side in zip(pair.models, pair.languages, strict=True))
    ]
    rows = []
    for pair, definition in tracked(pairs, len(pairs), "pairs", "Divergences of languages"):
        sides = (cubes[*side, definition] for side in zip(pair.models, pair.languages, strict=True))
        rows += [{"definition": definition, **row} for row in _of_pair(pair, *sides, level)]
    return tidy(pd.DataFrame(rows).assign(metric="categorical_bias_divergences", unit="languages"), over="countries")


def matched(one: Sequence[str], other: Sequence[str]) -> pd.DataFrame:
    """Pairs of templates that share a meaning: `meaning`, and `one` and `other`, the positions of their keys.

    one, other: the keys of two languages' templates; a key is a meaning or several, separated by spaces. In the order
    of the meanings. A meaning of several templates of a language has a row for each.
    """
    tables = (
        pd.DataFrame({"meaning": [key.split() for key in keys], "place": range(len(keys))}) for keys in (one, other)
    )
    pairs = _places(*(table.explode("meaning") for table in tables), on="meaning")
    return pairs.sort_values("meaning", ignore_index=True)


def divergences(one: np.ndarray, other: np.ndarray, meanings: np.ndarray) -> np.ndarray:
    """(n_meanings, n_attributes) the divergence of P'/sum P' over targets, in nats, the mean of a meaning's templates.

    one, other: (n_templates, n_attributes, n_targets) log P' of matched sentences. meanings: (n_templates,) of int.
    """
    of_sentences = cb.divergences(cb.distributions(one), cb.distributions(other))
    return np.array([of_sentences[meanings == meaning].mean(axis=0) for meaning in np.unique(meanings)])


def _of_pair(pair: LanguagePair, one: Cube, other: Cube, level: float) -> list[dict]:
    """The rows of two languages for one definition."""
    templates = matched(one.lists.templates["key"].tolist(), other.lists.templates["key"].tolist())
    attributes, targets = (
        _common(getattr(one.lists, words)["key"], getattr(other.lists, words)["key"])
        for words in ("attributes", "targets")
    )
    row = {"model": pair.model, "group": pair.group, "n": len(targets)}
    if templates.empty or attributes.empty or len(targets) < 2:
        fault = "the languages have no template, no attribute or no two targets in common"
        return [{**row, "variant": variant, "note": fault} for variant in ("jsd", "sqrt_jsd")]
    notes = [
        f"without {', '.join(side.left_out)} of {language}: sentences were refused"
        for language, side in zip(pair.languages, (one, other), strict=True)
        if side.left_out
    ]
    log_p = [
        side.log_p[np.ix_(templates[name], attributes[name], targets[name])]
        for name, side in (("one", one), ("other", other))
    ]
    # a meaning counts once, however many templates have it; rounding may go below 0
    of_meanings = np.maximum(divergences(*log_p, pd.factorize(templates["meaning"])[0]), 0)
    interval = of_variance(inference.crossed_mean(of_meanings), level)
    root = {column: np.sqrt(value) for column, value in interval.items() if column != "std_error"}
    if interval["estimate"] and "std_error" in interval:
        root["std_error"] = interval["std_error"] / (2 * root["estimate"])
    row["note"] = "; ".join(notes) or None
    return [{**row, "variant": "jsd", **interval}, {**row, "variant": "sqrt_jsd", **root}]


def _common(one: pd.Series, other: pd.Series) -> pd.DataFrame:
    """The shared keys, with their positions in `one` and `other`."""
    tables = (pd.DataFrame({"key": keys, "place": range(len(keys))}) for keys in (one, other))
    return _places(*tables, on="key")


def _places(one: pd.DataFrame, other: pd.DataFrame, on: str) -> pd.DataFrame:
    """The pairs of rows that agree, with the `place` of each side in `one` and `other`."""
    pairs = one.merge(other, on=on, suffixes=("_one", "_other"))
    return pairs.rename(columns={"place_one": "one", "place_other": "other"})
