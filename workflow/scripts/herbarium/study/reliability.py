"""How reliable the primary number of each metric is in this study: over the objects of each model, over models, and
over trainings with one recipe."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from herbarium.core.random import stream
from herbarium.statistics import correlation, reliability

COLUMNS = [
    *("metric", "measure", "over", "model", "n_objects", "n_words", "n_forms", "alpha", "alpha_low", "alpha_high"),
    *("split_half", "parallel_forms", "share_objects", "words_needed", "order_kept", "tau"),
    *("n_trainings", "one_training", "one_low", "one_high", "training_sd", "note"),
]
OBJECTS, MODELS, TRAININGS = "objects", "models", "trainings"
LEVEL = 0.95
_SPLITS, _REPLICATES = 200, 1000
_FEW = f"fewer than {reliability.FEWEST}: no reliability"


def table(items: pd.DataFrame, trainings: Mapping[str, Sequence[str]], seed: int) -> pd.DataFrame:
    """Columns `COLUMNS`: one row per measure and model over the model's objects (`over` "objects"), and one per measure
    over models (`over` "models", `model` empty), if two or more have it. Objects with their own words, such as
    dimensions, are separate measures there. For what was trained several times, there is also one row per measure over
    trainings (`over` "trainings"): for the objects of each such model, and for such models, if there are two or more
    (`model` empty).

    items: with the schema "items". trainings: name -> models that are trainings with one recipe. `share_objects`: the
    objects' share of the variance of single values, without main effects of words and forms. `words_needed`: for a
    reliability of .8, with the same number of forms. `order_kept`, `tau`: from `reliability.rank_stability`, only over
    models. Over trainings, `alpha` is for their mean and `one_training` for a single one; `training_sd` is how much an
    object differs from one training to another, in the unit of the metric.
    """
    rows = [
        row
        for _, group in items.groupby(["metric", "measure"], sort=False)
        for row in _of_measure(group, trainings, seed)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _of_measure(items: pd.DataFrame, trainings: Mapping[str, Sequence[str]], seed: int) -> Iterator[dict]:
    keys = dict(items[["metric", "measure"]].iloc[0])
    means = items.groupby(["model", "object"], sort=False)["value"].mean().unstack("object")
    trained = {
        name: group for name, models in trainings.items() if len(group := means.loc[means.index.isin(models)]) > 1
    }
    for model, group in items.groupby("model", sort=False):
        if group["object"].nunique() > 1:
            yield keys | {"over": OBJECTS, "model": model} | _row(group, "object", stream(seed, *keys.values(), model))
    for name, group in trained.items():
        if len(means.columns) > 1:
            yield keys | {"over": TRAININGS, "model": name} | _retest(group.dropna(axis=1).to_numpy().T)
    if items["model"].nunique() < 2:
        return
    if items["object"].nunique() > 1 and items.drop_duplicates(["object", "word"])["word"].is_unique:
        for name, group in items.groupby("object", sort=False):
            of_object = keys | {"measure": f"{keys['measure']}, {name}"}
            yield _over_models(group, of_object, seed)
            yield from _over_trained([model[name].dropna() for model in trained.values()], of_object)
    else:
        # a word of one object is not the same as that of another
        words = items["object"] + "\x1f" + items["word"]
        yield _over_models(items.assign(word=words), keys, seed)
        yield from _over_trained([model.mean(axis=1) for model in trained.values()], keys)


def _over_trained(trained: Sequence[pd.Series], keys: dict) -> Iterator[dict]:
    """trained: for each model that was trained several times, its value in each training."""
    n = min(map(len, trained), default=0)
    if len(trained) > 1 and n > 1:
        yield keys | {"over": TRAININGS, "model": ""} | _retest(np.array([values.to_numpy()[:n] for values in trained]))


def _retest(x: np.ndarray) -> dict:
    """x: values (n_objects, n_trainings) of the objects that every training has."""
    n, k = x.shape
    row = {"n_objects": n, "n_trainings": k}
    if n < 2:
        return row | {"note": "the trainings share fewer than two objects: no order"}
    row["training_sd"] = np.sqrt(x.var(axis=1, ddof=1).mean())
    if n < reliability.FEWEST:
        return row | {"note": _FEW}
    row["alpha"] = reliability.alpha(x)
    row["one_training"] = reliability.of_one(row["alpha"], k)
    low, high = reliability.alpha_interval(x, LEVEL)
    return row | {
        "note": reliability.below_chance(row["alpha"], n),
        **{"alpha_low": low, "alpha_high": high},
        **{"one_low": reliability.of_one(low, k), "one_high": reliability.of_one(high, k)},
    }


def _over_models(items: pd.DataFrame, keys: dict, seed: int) -> dict:
    return keys | {"over": MODELS, "model": ""} | _row(items, "model", stream(seed, *keys.values(), MODELS))


def _row(items: pd.DataFrame, objects: str, random: np.random.Generator) -> dict:
    x, dropped = crossed(items, objects)
    n, k, m = x.shape
    row = {"n_objects": n, "n_words": k, "n_forms": m}
    if k < 2:
        return row | {"note": "the objects share fewer than two words: no reliability over words"}
    notes = [f"left out words that not all of them have: {dropped}"] if dropped else []
    means = x.mean(axis=2)
    if objects == "model":
        row["tau"], row["order_kept"] = reliability.rank_stability(means, _REPLICATES, random)
    if n < reliability.FEWEST:
        return row | {"note": "; ".join([*notes, _FEW])}
    variances = reliability.components(x)
    varying = variances.o + variances.ow + variances.of + variances.owf
    row |= {
        "alpha": reliability.alpha(means),
        "share_objects": variances.o / varying if varying else np.nan,
        "words_needed": reliability.words_needed(variances, m),
    }
    row["alpha_low"], row["alpha_high"] = reliability.alpha_interval(means, LEVEL)
    if n < correlation.FEWEST:
        notes.append(f"fewer than {correlation.FEWEST}: no correlation")
    else:
        row["split_half"] = reliability.split_half(means, _SPLITS, random)
        if m > 1:
            row["parallel_forms"] = reliability.parallel_forms(x)
    least = min(row["alpha"], row.get("split_half", row["alpha"]))
    return row | {"note": "; ".join(filter(None, [*notes, reliability.below_chance(least, n)]))}


def crossed(items: pd.DataFrame, objects: str) -> tuple[np.ndarray, int]:
    """Values (n_objects, n_words, n_forms) of the words that every object has in every form, and the number of other
    words. objects: the column of the objects."""
    every = pd.MultiIndex.from_product([items[objects].unique(), items["form"].unique()])
    wide = items.set_index(["word", objects, "form"])["value"].unstack([objects, "form"]).reindex(columns=every)
    whole = wide.dropna()
    shape = len(whole), *map(len, every.levels)
    return whole.to_numpy().reshape(shape).transpose(1, 0, 2), len(wide) - len(whole)
