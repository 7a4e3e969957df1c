"""Numbers of languages in their own spaces and in those of others, as tidy rows."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.random import stream
from herbarium.core.store import schema
from herbarium.metrics.languages import score
from herbarium.metrics.languages.alignment import mapped
from herbarium.metrics.languages.lists import Lists
from herbarium.metrics.languages.spaces import Space
from herbarium.statistics.inference import Mean, adjust, stabilised_interval, t_interval, t_p_value
from herbarium.statistics.tidy import tidy

METRIC = "languages"
OWN, PAPER, RELEASED = "own", "paper", "released"
LEAN, SHARED, INBIAS, CHANGE, FOUND = "lean", "shared", "inbias", "inbias_change", "found"
EXCESS = "inbias_excess"
STRONG, WEAK = "strong", "weak"
# Tested variants, each one family over the languages of a space.
TESTED = (LEAN, SHARED, EXCESS)
_NAMED = 5  # words in a note
ARROW = " → "
# Pairs of occupations: `gap`, their mean gap over seeds, `inbias` its absolute value, and `shared`.
PAIRS = schema(
    "languages_pairs",
    *((name, pa.string()) for name in ("space", "group", "model", "concept", "masculine", "feminine")),
    ("is_strong", pa.bool_()),
    *((name, pa.float64()) for name in ("gap", "inbias", "shared")),
)
MISSING = schema("languages_missing", *((name, pa.string()) for name in ("space", "language", "of", "word")))
COLUMNS = [
    *("unit", "group", "model", "definition", "variant", "n", "estimate", "std_error", "ci_low", "ci_high"),
    *("p_value", "p_adjusted", "note"),
]


class Measured(NamedTuple):
    """Gaps of a language in a space: pairs with vectors, and (n, k) gaps; masculine and feminine words without a
    vector, for occupations and for seeds."""

    pairs: pd.DataFrame
    gaps: np.ndarray
    missing: dict[str, list[str]]


def gaps(word_lists: Lists, space: Space) -> Measured:
    """A pair of occupations, or of seeds, is left out if either form has no vector."""
    missing, known = {}, []
    for what, table in (("occupations", word_lists.occupations), ("seeds", word_lists.seeds)):
        rows = np.column_stack([space.rows(table[form]) for form in ("masculine", "feminine")])
        is_there = (rows >= 0).all(axis=1)
        words = [*table["masculine"][rows[:, 0] < 0], *table["feminine"][rows[:, 1] < 0]]
        missing[what] = list(dict.fromkeys(words))
        known.append((table[is_there].reset_index(drop=True), rows[is_there]))
    (pairs, forms), (_, seeds) = known
    sides = [space.vectors[rows] for rows in (*forms.T, *seeds.T)]
    return Measured(pairs, score.gaps(*(vectors.astype(float) for vectors in sides)), missing)


def measure(
    name: str,
    models: Mapping[str, str],
    lists: Mapping[str, Lists],
    spaces: Mapping[str, Space],
    aligned: Mapping[tuple[str, str], Space],
    controls: Mapping[tuple[str, str], np.ndarray],
    translations: Mapping[tuple[str, str], tuple[pd.DataFrame, dict]],
    level: float,
    correction: str,
    seed: int,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tidy rows of a space, and a table of PAIRS.

    `unit` is the name of the space, `group` the language, or language and pivot with an arrow if it is in the space of
    its pivot, `model` the source of the language's vectors, `n` counts pairs of occupations, or words whose
    translations were searched for. Each of TESTED is a family.

    models: language -> source. lists, spaces: by language. aligned: (language, pivot) -> the language in that space.
    controls: the same -> (n_controls, d, d) W of `spaces.control`.
    translations: the same -> a table of `spaces.TRANSLATIONS`, and the record of the fit (`n_train`, `n_asked`).
    """
    before = {language: gaps(lists[language], space) for language, space in spaces.items()}
    after = {key: gaps(lists[key[0]], space) for key, space in aligned.items()}
    places = [(language, language, measured) for language, measured in before.items()]
    places += [(ARROW.join(key), key[0], measured) for key, measured in after.items()]
    rows, pairs = [], []
    for group, language, measured in places:
        place = {"group": group, "model": models[language]}
        random = stream(seed, METRIC, name, group)
        rows += [place | row for row in _of_language(measured, lists[language].n_repeated, level, random)]
        pairs.append(_pairs(measured).assign(space=name, **place))
    for key, measured in after.items():
        place = {"group": ARROW.join(key), "model": models[key[0]]}
        copies = [
            gaps(lists[key[0]], Space(spaces[key[0]].words, mapped(spaces[key[0]].vectors, w))).gaps
            for w in controls[key]
        ]
        rows += [place | row for row in _changes(before[key[0]], measured, np.stack(copies, axis=-1), level)]
        table, fit = translations[key]
        rows += [place | row for row in _found(table, fit, level)]
    table = pd.DataFrame(rows).reindex(columns=COLUMNS)
    table["over"] = table["variant"].map({FOUND: "words"})
    for variant in TESTED:
        family = (table["variant"] == variant).to_numpy()
        table.loc[family, "p_adjusted"] = adjust(table.loc[family, "p_value"].to_numpy(float), correction)
    return (
        tidy(table.assign(metric=METRIC, unit=name), over="pairs of occupations"),
        pd.concat(pairs)[PAIRS.fields.names].reset_index(drop=True),
    )


def _pairs(measured: Measured) -> pd.DataFrame:
    return measured.pairs.assign(
        is_strong=_is_strong(measured),
        gap=measured.gaps.mean(axis=1),
        inbias=score.in_bias(measured.gaps),
        shared=score.shared(measured.gaps) if measured.gaps.shape[1] > 1 else np.nan,
    )


def _is_strong(measured: Measured) -> np.ndarray:
    """Whether the forms of a pair differ."""
    return (measured.pairs["masculine"] != measured.pairs["feminine"]).to_numpy()


def _of_language(measured: Measured, n_repeated: int, level: float, random: np.random.Generator) -> Iterator[dict]:
    n, note = len(measured.gaps), _left_out(measured, n_repeated)
    if too_few := few(measured):
        yield {"definition": OWN, "variant": LEAN, "n": n, "note": "; ".join(filter(None, [too_few, note]))}
        return
    lean = score.lean(measured.gaps)
    yield {"definition": OWN, "variant": LEAN, "n": n, **_row(lean, level), "p_value": t_p_value(lean), "note": note}
    shared, at_null = score.shared_mean(measured.gaps)
    low, high = stabilised_interval(shared, at_null, level)
    yield {
        **{"definition": OWN, "variant": SHARED, "n": n, "estimate": score.root(shared.estimate)},
        **{"ci_low": score.root(low), "ci_high": score.root(high)},
        "p_value": score.seeds_p_value(measured.gaps, random),
    }
    for definition, by_pair in ((PAPER, score.in_bias), (RELEASED, score.in_bias_released)):
        yield {"definition": definition, "variant": INBIAS, "n": n, **_above_zero(by_pair, measured.gaps, level)}
    for kind, is_kind in ((STRONG, _is_strong(measured)), (WEAK, ~_is_strong(measured))):
        part = measured.gaps[is_kind]
        if len(part) >= score.FEWEST:
            numbers = _above_zero(score.in_bias, part, level)
            yield {"definition": PAPER, "variant": f"{INBIAS}_{kind}", "n": len(part), **numbers}


def _above_zero(by_pair, gaps: np.ndarray, level: float) -> dict:
    row = _row(score.jackknife(by_pair, gaps), level)
    return row | {"ci_low": max(row["ci_low"], 0.0)}


def _row(mean: Mean, level: float) -> dict:
    low, high = t_interval(mean, level)
    return {"estimate": mean.estimate, "std_error": mean.std_error, "ci_low": low, "ci_high": high}


def _changes(before: Measured, after: Measured, controls: np.ndarray, level: float) -> Iterator[dict]:
    """All are for the same words: a language is mapped with all of them. controls: (n, k, n_controls) gaps."""
    too_few, n = few(before), len(before.gaps)
    for variant in (CHANGE, EXCESS):
        row = {"definition": PAPER, "variant": variant, "n": n}
        if too_few:
            yield row | {"note": too_few}
        elif variant == CHANGE:
            yield row | _row(score.change(score.in_bias, before.gaps, after.gaps), level)
        else:
            mean = score.excess(score.in_bias, after.gaps, controls)
            yield row | _row(mean, level) | {"p_value": t_p_value(mean)}


def _found(table: pd.DataFrame, fit: Mapping, level: float) -> Iterator[dict]:
    """The share of words whose translation is found, with Wilson's interval over words."""
    from scipy.stats import binomtest  # longer to import than most steps take

    n = len(table)
    notes = [f"fitted to {fit['n_train']} of {fit['n_asked']} pairs of the dictionary"]
    if fit["n_train"] < fit["dimensions"]:
        notes.append(f"fewer than the {fit['dimensions']} dimensions: they do not determine the alignment")
    if fit["n_unknown"]:
        notes.append(f"{fit['n_unknown']} words of the test have no vector, or no translation with one")
    for definition in ("procrustes", "rcsls"):
        test = binomtest(int(table[definition].sum()), n)
        low, high = test.proportion_ci(level, method="wilson")
        note = "; ".join(notes) if definition == "rcsls" else None
        numbers = {"estimate": test.statistic, "ci_low": low, "ci_high": high}
        yield {"definition": definition, "variant": FOUND, "n": n, **numbers, "note": note}


def few(measured: Measured) -> str | None:
    """What is too few for an error; None if there is enough."""
    n, k = measured.gaps.shape
    if min(n, k) >= score.FEWEST:
        return None
    return f"{n} pairs of occupations and {k} of seeds have vectors; at least {score.FEWEST} of each are needed"


def _left_out(measured: Measured, n_repeated: int) -> str | None:
    notes = [
        f"no vector for {len(words)} words of {what}: {', '.join(words[:_NAMED])}{', …' * (len(words) > _NAMED)}"
        for what, words in measured.missing.items()
        if words
    ]
    notes += [f"{n_repeated} pairs are repeated in the lists, and count once"] if n_repeated else []
    return "; ".join(notes) or None


def missing(name: str, lists: Mapping[str, Lists], spaces: Mapping[str, Space]) -> pd.DataFrame:
    """A table of MISSING: the words of a space without a vector, all of them."""
    rows = [
        (name, language, what, word)
        for language, space in spaces.items()
        for what, words in gaps(lists[language], space).missing.items()
        for word in words
    ]
    return pd.DataFrame(rows, columns=MISSING.fields.names)
