"""Which words drive a number: the words with the largest and the smallest values, and the groups: regions, lists,
dimensions (the objects of items)."""

from collections.abc import Iterator, Mapping

import pandas as pd

COLUMNS = ["metric", "measure", "model", "what", "rank", "name", "value", "n", "mean", "without_low", "without_high"]
WORDS, GROUPS = "words", "groups"
SHOWN = 5  # at either end
_WHAT = {"word": WORDS, "object": GROUPS}
_LEAST_VALUES = 3  # with two values, as in a share, no word stands out


def table(items: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """Columns `COLUMNS`: for each measure and model, `SHOWN` words with the largest and as many with the smallest mean
    over forms and objects, and likewise the objects (`what`: GROUPS), if there are several. Words that belong to one
    object each, such as the words of a dimension, are ranked within it; then `measure` ends in its name.

    items: with the schema "items". names: of objects that are ids. `rank`: 1 is the largest of `n`. `without_low`,
    `without_high`: the smallest and the largest mean without one of them.
    """
    items = items.assign(object=items["object"].map(lambda name: names.get(name, name)))
    rows = [row for _, group in items.groupby(["metric", "measure"], sort=False) for row in _of_measure(group)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _of_measure(items: pd.DataFrame) -> Iterator[dict]:
    keys = dict(items[["metric", "measure"]].iloc[0])
    n_objects = items["object"].nunique()
    are_nested = n_objects > 1 and not items.drop_duplicates(["object", "word"])["word"].duplicated().any()
    for model, group in items.groupby("model", sort=False):
        of_model = keys | {"model": model}
        if are_nested:
            for name, of_object in group.groupby("object", sort=False):
                yield from _ranked(of_object, "word", of_model | {"measure": f"{keys['measure']}, {name}"})
        elif not group["word"].str.fullmatch(r"\d+").all():  # the number of a text says nothing to a reader
            yield from _ranked(group, "word", of_model)
        if n_objects > 1:
            yield from _ranked(group, "object", of_model)


def _ranked(items: pd.DataFrame, by: str, keys: Mapping) -> Iterator[dict]:
    means = items.groupby(by, sort=False)["value"].mean().sort_values(ascending=False, kind="stable")
    n, values = len(means), means.to_numpy()
    if n < 2 or len(set(values)) < _LEAST_VALUES:
        return
    without = (values.sum() - values) / (n - 1)
    of_all = {
        "what": _WHAT[by],
        "n": n,
        "mean": values.mean(),
        "without_low": without.min(),
        "without_high": without.max(),
    }
    for rank, (name, value) in enumerate(means.items(), start=1):
        if rank <= SHOWN or rank > n - SHOWN:
            yield {**keys, **of_all, "rank": rank, "name": name, "value": value}
