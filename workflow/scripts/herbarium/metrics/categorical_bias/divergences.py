"""How far languages lie apart: Jensen-Shannon divergence of their distributions over targets (tidy numbers).

Ahn and Oh (2021, EMNLP), Section 6.1 and Tables 3 and 9. The paper says neither how sentences of two languages are
matched nor how the divergences of sentences become one; there is no code of it. Here sentences are matched by what they
say, and the mean is taken.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from herbarium.core.console import tracked
from herbarium.metrics.categorical_bias import score as cb
from herbarium.metrics.categorical_bias.differences import LanguagePair, language_pairs
from herbarium.metrics.categorical_bias.numbers import Cube, cube, draw_keys, interval
from herbarium.metrics.categorical_bias.stimuli import QUANTITIES, Languages, Lists, of_leading
from herbarium.statistics.tidy import tidy


def measure(
    associations: pd.DataFrame, lists: Mapping[str, Lists], languages: Languages, bootstrap: dict, seed: int
) -> pd.DataFrame:
    """Tidy rows of metric "categorical_bias_divergences": pairs of languages, leading lists, base words.

    associations: of this schema, of every model and language. lists: language -> its leading list. bootstrap:
    `replicates`, and `level` of the percentile intervals. The pairs are those of `language_pairs`; unit "languages",
    group "{a} − {b}"; `n` is the number of targets that both have.

    Variants: `jsd`, in nats, 0 to ln 2: of P'/sum P' over the targets that both have, in sentences with the same
    attribute whose templates have the same meaning (`matched`); the mean over meanings and attributes that both have.
    `sqrt_jsd`: the root of it, the Jensen-Shannon distance.

    Bootstrap over meanings, attributes and targets, each drawn by itself (crossed). A target drawn c times is c targets
    of the same P', each with the share p / sum c p. Replicates lie below the estimate, about as far as the estimate of
    n targets lies below that of very many, which goes with 1/n: copies do not differ, and one target alone has a
    divergence of 0. Draws of templates and attributes shift nothing, as jsd is a mean over them. Simulated with 30
    targets, 700 sentences and independent normal log P' of standard deviation 1 (4), the mean of the replicates was
    0.180 (0.578), the estimate 0.189 (0.605), the value of 3,000 targets 0.201 (0.679). So an interval lies low; where
    targets differ from sentence to sentence it is so narrow that it may not hold the estimate, and a note says so.
    """
    cubes = {
        place: cube(rows, lists[place[1]], additional_attributes=False, additional_targets=False)
        for place, rows in of_leading(associations, languages).groupby(["model", "language", "definition"])
    }
    pairs = [(pair, definition) for pair in language_pairs(languages) for definition in QUANTITIES]
    rows = []
    for pair, definition in tracked(pairs, len(pairs), "pairs", "Divergences of languages"):
        sides = (cubes[*side, definition] for side in zip(pair.models, pair.languages, strict=True))
        rows += [{"definition": definition, **row} for row in _of_pair(pair, *sides, bootstrap, seed)]
    return tidy(pd.DataFrame(rows).assign(metric="categorical_bias_divergences", unit="languages"))


def matched(one: Sequence[str], other: Sequence[str]) -> pd.DataFrame:
    """Pairs of templates that share a meaning: `meaning`, and `one` and `other`, the places of their keys.

    one, other: the keys of two languages' templates; a key is a meaning or several, separated by spaces. In the order
    of the meanings. A meaning that several templates of a language have stands there with each.
    """
    tables = (
        pd.DataFrame({"meaning": [key.split() for key in keys], "place": range(len(keys))}) for keys in (one, other)
    )
    pairs = _places(*(table.explode("meaning") for table in tables), on="meaning")
    return pairs.sort_values("meaning", ignore_index=True)


def mean_divergence(
    one: np.ndarray, other: np.ndarray, templates: np.ndarray, attributes: np.ndarray, targets: np.ndarray
) -> float:
    """The weighted mean over sentences of the divergence of P'/sum P' over targets, in nats.

    one, other: (n_templates, n_attributes, n_targets) log P' of matched sentences. templates, attributes: (n,) weights.
    targets: (n_targets,) of int, how often each is there.
    """
    drawn = np.ix_(templates > 0, attributes > 0, np.repeat(np.arange(len(targets)), targets))
    of_sentences = cb.divergences(cb.distributions(one[drawn]), cb.distributions(other[drawn]))
    of_templates = np.average(of_sentences, axis=1, weights=attributes[attributes > 0])
    return max(np.average(of_templates, weights=templates[templates > 0]), 0.0)  # rounding may leave less than none


def _of_pair(pair: LanguagePair, one: Cube, other: Cube, bootstrap: dict, seed: int) -> list[dict]:
    """The rows of two languages by one definition."""
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
    meanings, names = pd.factorize(templates["meaning"])
    share = 1 / np.bincount(meanings)[meanings]  # a meaning counts once, however many templates have it
    once = [np.ones(len(keys), dtype=int) for keys in (names, attributes, targets)]
    drawn = (draw_keys(keys, bootstrap["replicates"], seed) for keys in (names, attributes["key"], targets["key"]))
    estimate, *replicates = (
        mean_divergence(*log_p, share * of_meanings[meanings], *of_words)
        for of_meanings, *of_words in (once, *zip(*drawn, strict=True))
    )
    bounds = interval(np.array(replicates), bootstrap["level"])
    if bounds and estimate > bounds["ci_high"]:
        notes.append("the replicates lie below: copies of a target do not differ")
    row["note"] = "; ".join(notes) or None
    of_root = interval(np.sqrt(replicates), bootstrap["level"])
    return [
        {**row, "variant": "jsd", "estimate": estimate, **bounds},
        {**row, "variant": "sqrt_jsd", "estimate": np.sqrt(estimate), **of_root},
    ]


def _common(one: pd.Series, other: pd.Series) -> pd.DataFrame:
    """The keys that both have, with their places in `one` and `other`."""
    tables = (pd.DataFrame({"key": keys, "place": range(len(keys))}) for keys in (one, other))
    return _places(*tables, on="key")


def _places(one: pd.DataFrame, other: pd.DataFrame, on: str) -> pd.DataFrame:
    """The pairs of rows that agree, with the `place` of each side in `one` and `other`."""
    pairs = one.merge(other, on=on, suffixes=("_one", "_other"))
    return pairs.rename(columns={"place_one": "one", "place_other": "other"})
