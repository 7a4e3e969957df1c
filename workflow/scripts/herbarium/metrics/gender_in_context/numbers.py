"""What the vectors of words in context encode about the gender of their sentence, layer by layer, as tidy numbers."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from herbarium.core.console import tracked
from herbarium.core.random import stream
from herbarium.metrics.gender_in_context import crossed, score
from herbarium.metrics.gender_in_context.crossed import FEWEST_OF_A_KIND, Products
from herbarium.metrics.gender_in_context.names import (
    ACCURACY,
    BY_NU,
    CLASSIFIED,
    COMMON,
    CONTROL,
    CURVES,
    DIFFERENCE,
    FEWEST_WORDS,
    FIRST,
    GAP,
    GENDER,
    HELD_OUT,
    KERNELS,
    METRIC,
    NEUTRAL,
    PAIRS,
    PLACES,
    PRODUCTS,
    SELECTIVITY,
    WORDS,
)
from herbarium.statistics import in_context, randomisation
from herbarium.statistics.inference import Mean, adjust, t_interval, t_p_value
from herbarium.statistics.tidy import tidy, with_note
from herbarium.vectors.tables import Vectors

CAUSAL = "causal"
_NOTHING = "the sides have equal vectors"
_ALIKE = "no interval: all words have the same number"
COMPONENTS = 10
_ALPHA = 0.05


class Settings(NamedTuple):
    """nu: of the classifiers. folds: of cross-validation. max_pairs: the largest number of pairs, a random sample.
    level: of the intervals. correction: of the gaps of a source. seed: the study's."""

    nu: Sequence[float]
    folds: int
    max_pairs: int
    level: float
    correction: str
    seed: int


class Measured(NamedTuple):
    """numbers: tidy. The others: of the schemas CURVES, BY_NU, PLACES and PRODUCTS."""

    numbers: pd.DataFrame
    curves: pd.DataFrame
    by_nu: pd.DataFrame
    places: pd.DataFrame
    products: pd.DataFrame


class Pairs(NamedTuple):
    """Pairs with both vectors: x, y, (n_pairs, n_layers, dimensions); word, stereotype, (n_pairs,), of side 0 or 1 or
    -1."""

    x: np.ndarray
    y: np.ndarray
    word: np.ndarray
    stereotype: np.ndarray


def pairs(
    design: pd.DataFrame, vectors: Vectors, is_causal: bool, max_pairs: int, seed: int
) -> tuple[dict, str | None]:
    """`Pairs` by swap, and the note about those left out.

    design: of the schema "gender_in_context_design". is_causal: whether words see only those before them.
    """
    usable = np.isfinite(vectors.values).all(axis=(1, 2))
    usable_rows = design.assign(row=np.arange(len(design)), usable=usable)
    by_pair = usable_rows.groupby(["pair", "swap"])
    has_vectors, is_seen = by_pair["usable"].transform("all"), usable_rows["is_seen"] | (not is_causal)
    gender = usable_rows[usable_rows["swap"] == GENDER].drop_duplicates("pair")
    pair_numbers = gender.loc[(has_vectors & is_seen)[gender.index], "pair"].to_numpy()
    if len(pair_numbers) > max_pairs:
        pair_numbers = np.sort(stream(seed, METRIC, "pairs").choice(pair_numbers, max_pairs, replace=False))
    usable_rows = usable_rows[has_vectors & is_seen & usable_rows["pair"].isin(pair_numbers)]
    by_swap = {}
    for swap, rows in usable_rows.groupby("swap", sort=False):
        sides = rows.pivot(index="pair", columns="side", values="row").dropna().astype(int)
        about = rows.drop_duplicates("pair").set_index("pair").loc[sides.index]
        stereotype = about["stereotype"].fillna(-1).to_numpy(dtype=int)
        by_swap[swap] = Pairs(vectors.values[sides[0]], vectors.values[sides[1]], about["word"].to_numpy(), stereotype)
    lost = {
        "the difference comes after the word, where a causal model does not see it": (~is_seen)[gender.index].sum(),
        "no vector": (is_seen & ~has_vectors)[gender.index].sum(),
    }
    notes = [f"{n} of {len(gender)} pairs left out: {why}" for why, n in lost.items() if n]
    return by_swap, "; ".join(notes) or None


def measure(
    source: str, name: str, by_swap: dict[str, Pairs], note: str | None, layers: Sequence[str], sides: Sequence[str],
    settings: Settings,
) -> Measured:  # fmt: skip
    """All numbers for a source and a set of sentences.

    source, name: what they are called. by_swap, note: of `pairs`. layers: names of the layers. sides: names of the
    sides.
    """
    keys = {"model": source, "unit": name}
    gender = by_swap.get(GENDER, Pairs(np.empty((0, len(layers), 1)), np.empty((0, len(layers), 1)), *np.empty((2, 0))))
    n_words = len(np.unique(gender.word))
    if n_words < FEWEST_WORDS:
        why = f"{n_words} words with a pair of vectors; at least {FEWEST_WORDS} are needed"
        empty = [{"variant": DIFFERENCE, "group": layer, "n": n_words, "note": why} for layer in layers]
        tables = (pd.DataFrame(columns=schema.fields.names) for schema in (CURVES, BY_NU, PLACES, PRODUCTS))
        return Measured(_tidied(empty, keys, note), *tables)
    # with few pairs a swap would have few directions, and all of its differences along the first
    by_swap = {swap: pairs for swap, pairs in by_swap.items() if len(np.unique(pairs.word)) >= FEWEST_WORDS}
    products = [crossed.products(x, y, gender.word) for x, y in _by_layer(gender)]
    in_units = [crossed.in_units(of_layer) for of_layer in products]
    about = pd.DataFrame({"word": gender.word, "stereotype": gender.stereotype}).groupby("word")["stereotype"]
    kinds = about.agg(["first", "size"]).rename(columns={"first": "stereotype", "size": "n"})  # in the order of words
    missing = [crossed.NOT_APART if of_layer.alike.any() else _NOTHING for of_layer in products]
    rows, by_nu = _stereotypes(in_units, kinds["stereotype"].to_numpy(), layers, missing, settings), []
    rows += _in_common([of_layer.alike for of_layer in products], by_swap, layers, settings)
    curves = list(_curves(by_swap, layers))
    rows += _first_components(gender, curves, layers, settings.level)
    for layer in tracked(range(len(layers)), len(layers), "layer", f"{source} {name}"):
        classified_rows, accuracies = _told(gender, layer, layers[layer], settings)
        rows, by_nu = rows + classified_rows, by_nu + accuracies
    numbers = _tidied(rows, keys, note)
    is_gap = numbers["variant"].str.startswith(GAP)
    numbers.loc[is_gap, "p_adjusted"] = adjust(numbers.loc[is_gap, "p_value"].to_numpy(float), settings.correction)
    named = kinds.assign(stereotype=[sides[side] if side >= 0 else None for side in kinds["stereotype"]])
    positions = [crossed.positions(of_layer.along) for of_layer in in_units]
    tables = (
        (curves, CURVES),
        (by_nu, BY_NU),
        (_places(positions, named, layers), PLACES),
        (_products(products[-1], named, layers[-1]), PRODUCTS),
    )
    return Measured(numbers, *(pd.DataFrame(table).assign(**keys)[schema.fields.names] for table, schema in tables))


def _tidied(rows: list[dict], keys: dict, note: str | None) -> pd.DataFrame:
    table = pd.DataFrame([{"metric": METRIC, "definition": GENDER} | keys | row for row in rows])
    return with_note(tidy(table, over="words"), note)


def _row(variant: str, layer: str, mean: Mean, n: int, level: float, missing: str = _NOTHING, **more) -> dict:
    """missing: the note if there is no number. more: other columns."""
    row = {"variant": variant, "group": layer, "estimate": mean.estimate, "n": n} | more
    if not np.isfinite(mean.estimate):
        return row | {"note": missing, "p_value": None, "p_adjusted": None}
    if not mean.variance:
        return row | {"note": " · ".join(filter(None, (_ALIKE, row.get("note"))))}
    low, high = t_interval(mean, level)
    return {"std_error": mean.std_error, "ci_low": low, "ci_high": high} | row


def _weak(n: int, least: float) -> str | None:
    """The note on a test that cannot find anything. least: its least p-value."""
    return f"{n} words can give no p below {least:.2g}, so the test cannot reject" if least >= _ALPHA else None


def _stereotypes(
    in_units: Sequence[Products],
    stereotype: np.ndarray,
    layers: Sequence[str],
    missing: Sequence[str],
    settings: Settings,
) -> list[dict]:
    """How much further towards the first side the words lie that stereotypes assign to it. in_units: of
    `crossed.in_units`, by layer. stereotype: (n_words,), of side 0 or 1 or -1. missing: why a layer has no unit."""
    kinds, is_known = crossed.Kinds(stereotype == 0, stereotype == 1), stereotype >= 0
    is_first = kinds.first[is_known]
    n = len(is_first)
    if kinds.fewest < FEWEST_OF_A_KIND:
        why = f"{kinds.fewest} words per side by stereotype; at least {FEWEST_OF_A_KIND} are needed"
        return [{"variant": DIFFERENCE, "group": layer, "n": n, "note": why} for layer in layers]
    position = np.stack([crossed.positions(of_layer.along)[is_known] for of_layer in in_units])
    has = np.isfinite(position).all(axis=1)
    p, adjusted = np.full((2, len(layers)), np.nan)
    if has.any():
        random = stream(settings.seed, METRIC, "stereotypes")
        p[has], adjusted[has] = score.p_values(position[has], is_first, random)
    note, rows = _weak(n, score.least_stereotype_p_value(n, int(is_first.sum()))), []
    for layer, of_layer, why, *tested in zip(layers, in_units, missing, p, adjusted, strict=True):
        more = dict(zip(("p_value", "p_adjusted"), tested, strict=True)) | {"note": note}
        mean = crossed.difference(of_layer, kinds)
        rows.append(_row(DIFFERENCE, layer, mean, n, settings.level, why, **more))
    return rows


def _by_layer(pair_vectors: Pairs) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for layer in range(pair_vectors.x.shape[1]):
        yield pair_vectors.x[:, layer].astype(float), pair_vectors.y[:, layer].astype(float)


def _in_common(
    gender: Sequence[np.ndarray], by_swap: dict[str, Pairs], layers: Sequence[str], settings: Settings
) -> list[dict]:
    """The share in common of words' differences: for gender, and on average for the neutral swaps. gender: products of
    the words' differences, by layer."""
    level, n = settings.level, len(gender[0])
    p, adjusted = score.flip_p_values(np.stack(gender), stream(settings.seed, METRIC, "flips"))
    note, rows = _weak(n, randomisation.least_p_value(n)), []
    for place, layer in enumerate(layers):
        more = {"p_value": p[place], "p_adjusted": adjusted[place], "note": note}
        rows.append(_row(COMMON, layer, in_context.common(gender[place]), n, level, **more))
    neutral = [pairs for swap, pairs in by_swap.items() if swap != GENDER]
    products = [[score.by_word(x - y, pairs.word) for x, y in _by_layer(pairs)] for pairs in neutral]
    shares = np.array([[in_context.common(product).estimate for product in by_layer] for by_layer in products])
    shares = shares.reshape(-1, len(layers))
    return rows + [_over_swaps(COMMON, layer, share, level) for layer, share in zip(layers, shares.T, strict=True)]


def _over_swaps(variant: str, layer: str, values: np.ndarray, level: float) -> dict:
    """The mean over neutral swaps; without an interval if there are fewer than two."""
    values, common = values[np.isfinite(values)], {"definition": NEUTRAL}
    n = len(values)
    if n < 2:
        note = "no interval: only one neutral swap" if n else "no neutral swap in the sentences, or none that differs"
        only = {"estimate": values.mean() if n else None, "note": note}
        return {"variant": variant, "group": layer, "n": n} | common | only
    return _row(variant, layer, Mean(values.mean(), values.var(ddof=1) / n, n - 1), n, level, **common)


def _curves(by_swap: dict[str, Pairs], layers: Sequence[str]) -> Iterator[dict]:
    for swap, pairs in by_swap.items():
        for layer, (x, y) in zip(layers, _by_layer(pairs), strict=True):
            for component, share in enumerate(score.explained(x - y, COMPONENTS), start=1):
                yield {"group": layer, "swap": swap, "n": len(x), "component": component, "share": share}


def _first_components(pair_vectors: Pairs, curves: list[dict], layers: Sequence[str], level: float) -> Iterator[dict]:
    """The share along the first principal direction, for gender and over neutral swaps. It has no interval: its upward
    bias depends on the number of pairs."""
    n, first = len(np.unique(pair_vectors.word)), pd.DataFrame(curves).query("component == 1")
    for layer in layers:
        rows = first[first["group"] == layer]
        share = rows.loc[rows["swap"] == GENDER, "share"].item()
        row = {"variant": FIRST, "group": layer, "n": n, "estimate": share}
        yield row | ({"note": _NOTHING} if np.isnan(share) else {})
        yield _over_swaps(FIRST, layer, rows.loc[rows["swap"] != GENDER, "share"].to_numpy(), level)


def _told(pair_vectors: Pairs, layer: int, name: str, settings: Settings) -> tuple[list[dict], list[dict]]:
    """How well the side of a sentence is predicted, words or pairs held out, and how much of it from the words
    alone."""
    x = np.concatenate([pair_vectors.x[:, layer], pair_vectors.y[:, layer]]).astype(float)
    n, n_words, level = len(pair_vectors.word), len(np.unique(pair_vectors.word)), settings.level
    labels = np.repeat([0, 1], n)
    if (pair_vectors.x[:, layer] == pair_vectors.y[:, layer]).all():
        variants = [(f"{variant}_{kernel}", held_out) for kernel in KERNELS for variant, held_out in CLASSIFIED]
        common = {"group": name, "n": n_words, "note": _NOTHING}
        return [common | {"variant": variant, "definition": definition} for variant, definition in variants], []
    groups = {WORDS: np.unique(pair_vectors.word, return_inverse=True)[1], PAIRS: np.arange(n)}
    control = in_context.control_labels(np.tile(pair_vectors.word, 2), 2, stream(settings.seed, METRIC, "control"))
    rows, accuracies = [], []
    for kernel in KERNELS:
        products = score.kernel(x, kernel)

        def told(labels: np.ndarray, held_out: str, products: np.ndarray = products) -> score.Told:
            return score.told(products, labels, groups[held_out], settings.nu, settings.folds, settings.seed)

        for held_out in HELD_OUT:
            classified = told(labels, held_out)
            first, second = classified.is_right.T.astype(float)
            values = {ACCURACY: (first + second) / 2, GAP: first - second}
            if held_out == PAIRS:
                values[CONTROL] = told(control, PAIRS).is_right.mean(axis=1)
                values[SELECTIVITY] = values[ACCURACY] - values[CONTROL]
            for variant, of_pairs in values.items():
                mean = in_context.of_told(of_pairs, pair_vectors.word, settings.folds)
                row = _row(f"{variant}_{kernel}", name, mean, n_words, level, definition=held_out)
                rows.append(row | ({"p_value": t_p_value(mean)} if variant == GAP else {}))
            keys = {"group": name, "held_out": held_out, "kernel": kernel}
            by_nu = zip(settings.nu, classified.by_nu, strict=True)
            accuracies += [keys | {"nu": nu, "accuracy": accuracy} for nu, accuracy in by_nu]
    return rows, accuracies


def _places(positions: Sequence[np.ndarray], named: pd.DataFrame, layers: Sequence[str]) -> Iterator[dict]:
    """named: by word, in the order of positions, `stereotype`, the side or None, and `n`, its pairs."""
    for layer, of_layer in zip(layers, positions, strict=True):
        for (word, stereotype, n), position in zip(named.itertuples(name=None), of_layer, strict=True):
            yield {"group": layer, "word": word, "stereotype": stereotype, "n": n, "position": position}


def _products(products: Products, named: pd.DataFrame, layer: str) -> pd.DataFrame:
    """Rows of every word with every word."""
    n = len(named)
    return pd.DataFrame(
        {
            "group": layer,
            "word": np.repeat(named.index, n),
            "stereotype": np.repeat(named["stereotype"].to_numpy(dtype=object), n),
            "other": np.tile(named.index, n),
            "along": products.along.ravel(),
            "alike": products.alike.ravel(),
        }
    )
