"""Numbers of sentences that someone wrote to be compared, as tidy rows, and their resamples."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from herbarium.statistics import contrasts
from herbarium.statistics.changes import as_changes, change
from herbarium.statistics.contrasts import ACCURACY, BOUND, CANDIDATES, PAIRS
from herbarium.statistics.items import items
from herbarium.statistics.replicates import REPLICATES

METRIC = "sentence_sets"
DEFINITION = "own"
# Columns of the table to be read.
COLUMNS = [
    *(
        "stimuli",
        "quantity",
        "contrast",
        "first",
        "second",
        "side",
        "group",
        "model",
        "planted",
        "estimate",
        "std_error",
    ),
    *("ci_low", "ci_high", "p_value", "p_adjusted", "equivalence_bound", "n", "note"),
]


def variants(entry: Mapping) -> dict[str, str | None]:
    """Variant -> what its rows are of (`contrasts.rows`). entry: of `sentence_sets` in the configuration."""
    quantity, contrast = entry["quantity"], entry["contrast"]
    rows = contrasts.rows(contrast, entry["sides"])
    if contrast in (CANDIDATES, ACCURACY):
        return {f"{quantity}_{'of' if contrast == CANDIDATES else contrast}_{side}": side for side in rows}
    return {f"{quantity}_{'difference' if contrast == PAIRS else contrast}": None}


def measure(model: str, name: str, observations: pd.DataFrame, entry: Mapping, seed: int) -> pd.DataFrame:
    """Tidy rows: `unit` is the name of the sets, `group` a group of them or `all`, `n` the number of units. Of each
    variant also the smallest bound of equivalence (`contrasts.tidied`).

    observations: of the schema "sentence_sets_observations". entry: of `sentence_sets` in the configuration.
    """
    of, level = contrasts.sets(observations, entry["sides"]), entry["bootstrap"]["level"]
    rows = contrasts.numbers(of, entry["contrast"], level, entry["correction"], seed, METRIC, name)
    return contrasts.tidied(_placed(rows, model, name, entry))


def resample(model: str, name: str, observations: pd.DataFrame, entry: Mapping, seed: int) -> pd.DataFrame:
    """The same on resamples of units: a table of the schema "replicates". Draws do not depend on the model."""
    of, n = contrasts.sets(observations, entry["sides"]), entry["bootstrap"]["replicates"]
    rows = contrasts.replicates(of, entry["contrast"], n, seed, METRIC, name)
    return _placed(rows, model, name, entry)[REPLICATES.fields.names]


def of_items(model: str, name: str, observations: pd.DataFrame, entry: Mapping) -> pd.DataFrame:
    """A table of the schema "items": an object is a set of sentences (of candidates: with a side), a word a unit."""
    of = contrasts.sets(observations, entry["sides"])
    sides, by_unit = contrasts.by_unit(of.of(of.is_whole), entry["contrast"])
    columns = [name if side is None else f"{name}/{side}" for side in sides]
    by_unit = by_unit.set_axis(columns, axis="columns").rename_axis("word").reset_index()
    rows = by_unit.melt("word", var_name="object")
    return items(rows.assign(model=model, metric=METRIC, measure=entry["contrast"], form=""))


def changes(
    name: str,
    compared: Sequence[Sequence[str]],
    numbers: pd.DataFrame,
    observations: Mapping[str, pd.DataFrame],
    entry: Mapping,
) -> pd.DataFrame:
    """Rows of the schema "changes": the contrast of all sets, of candidates that of each side; paired by unit.

    name, entry: of the sets. compared: of `models.comparisons`. numbers: tidy rows of `measure`. observations: of
    models, by name.
    """
    own = numbers[(numbers["unit"] == name) & (numbers["group"] == contrasts.ALL)].set_index(["model", "variant"])
    of_model = {model: contrasts.sets(table, entry["sides"]) for model, table in observations.items()}
    variant_of, rows = _variant_of(entry), []
    for of in compared:
        before, after = of[2:]
        for side, mean in contrasts.differences(of_model[before], of_model[after], entry["contrast"]):
            values = (own.loc[model, variant_of[side]] for model in (before, after))
            null, n = contrasts.null(entry["contrast"], side), mean and mean.df + 1
            rows.append(change(of, METRIC, ", ".join(filter(None, [name, side])), *values, mean, null=null, n=n))
    return as_changes(rows)


def _variant_of(entry: Mapping) -> dict[str | None, str]:
    return {side: variant for variant, side in variants(entry).items()}


def _placed(rows: pd.DataFrame, model: str, name: str, entry: Mapping) -> pd.DataFrame:
    variant_of = _variant_of(entry)
    variant = [variant_of[None if pd.isna(side) else side] for side in rows["side"]]
    return rows.assign(model=model, metric=METRIC, definition=DEFINITION, variant=variant, unit=name)


def with_contrasts(numbers: pd.DataFrame, entries: Mapping[str, Mapping], models: Sequence[dict]) -> pd.DataFrame:
    """Tidy rows with what they are of: `stimuli` (the name of the sets), `quantity`, `contrast`, `first` and `second`
    (of pairs), `side` (`contrasts.rows`), `planted`, and `equivalence_bound`; in the order of the configuration, and of
    the models.

    entries: `sentence_sets` of the configuration. models: model records, by strength.
    """
    known = pd.DataFrame(
        [
            {
                **{"unit": name, "variant": variant, "side": side, "stimuli": name},
                **{key: entry[key] for key in ("quantity", "contrast")},
                **dict(zip(("first", "second"), entry["sides"] if side is None else (None, None), strict=True)),
            }
            for name, entry in entries.items()
            for variant, side in variants(entry).items()
        ]
    )
    known["place"] = range(len(known))
    bounds = numbers[numbers["variant"].str.endswith(BOUND)]
    bounds = bounds.assign(variant=bounds["variant"].str.removesuffix(BOUND), equivalence_bound=bounds["estimate"])
    keys = ["model", "unit", "variant", "group"]
    found = numbers.merge(known, on=["unit", "variant"]).merge(bounds[[*keys, "equivalence_bound"]], "left", on=keys)
    order = {model["name"]: rank for rank, model in enumerate(models)}
    planted = {model["name"]: model["planted"] for model in models}
    found = found.assign(planted=found["model"].map(planted).astype(float), rank=found["model"].map(order))
    is_group = found["group"] != contrasts.ALL
    found = found.assign(is_group=is_group).sort_values(["place", "is_group", "group", "rank"], kind="stable")
    return found.drop(columns=["place", "rank", "is_group"]).reset_index(drop=True)


def observed(tables: Iterable[tuple[str, str, pd.DataFrame]]) -> pd.DataFrame:
    """Observations one below the other, to be read. tables: model, name of the sets, and their observations."""
    return pd.concat([table.assign(model=model, stimuli=name) for model, name, table in tables], ignore_index=True)[
        ["model", "stimuli", "id", "set", "side", "group", "unit", "text", "value", "note"]
    ]
