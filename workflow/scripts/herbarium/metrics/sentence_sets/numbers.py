"""Numbers of sentences that someone wrote to be compared, as tidy rows, and their resamples."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from herbarium.metrics.sentence_sets.contrasts import CONTRASTS
from herbarium.statistics import contrasts, power, randomisation, tasks
from herbarium.statistics.changes import as_changes, change
from herbarium.statistics.contrasts import BOUND
from herbarium.statistics.effect_sizes import minimum_detectable_effect
from herbarium.statistics.items import items
from herbarium.statistics.replicates import REPLICATES
from herbarium.statistics.sets import ALL, SET, Sets, sets
from herbarium.statistics.tidy import tidy
from herbarium.statistics.within_sets import CANDIDATES, PAIRS, SHARE, Contrast

METRIC = "sentence_sets"
DEFINITION = "own"
# Distances from the null value that are worth detecting: one side likelier by a tenth, and ten pairs in a hundred.
WORTH = {name: 10.0 if contrast.is_percentage else 0.1 for name, contrast in CONTRASTS.items()}
# Columns of the table for readers.
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
    *(
        "ci_low",
        "ci_high",
        "p_value",
        "p_adjusted",
        "equivalence_bound",
        "least_shown",
        "n_needed",
        "n",
        "over",
        "unable",
        "note",
    ),
]


def contrast_of(entry: Mapping) -> Contrast:
    """entry: of `sentence_sets` in the configuration."""
    return CONTRASTS[entry["contrast"]]


def variants(entry: Mapping) -> dict[str, str | None]:
    """Variant -> the sides of its rows (`Contrast.rows`). entry: of `sentence_sets` in the configuration."""
    quantity, contrast = entry["quantity"], entry["contrast"]
    rows = contrast_of(entry).rows(entry["sides"])
    if len(rows) > 1:
        return {f"{quantity}_{'of' if contrast == CANDIDATES.name else contrast}_{side}": side for side in rows}
    return {f"{quantity}_{'difference' if contrast == PAIRS.name else contrast}": None}


def measure(model: str, name: str, observations: pd.DataFrame, entry: Mapping, seed: int) -> pd.DataFrame:
    """Tidy rows: `unit` is the name of the sets, `group` a group of them or `all`, `n` the number of units, `over` what
    they are. For each variant also the smallest equivalence bound (`contrasts.tidied`). If the sentences of some sets
    differ in their number of tokens, a variant + `sets.EQUAL_LENGTH` has the number of the other sets. Each task of the
    contrast has a row (`tasks.done`), whose note says why a model does not do it.

    observations: of the schema "sentence_sets_observations". entry: of `sentence_sets` in the configuration.
    """
    named = [name for name in (entry["unit"], entry["crossed_with"]) if name]
    measured, level = sets(observations, entry["sides"], named), entry["bootstrap"]["level"]

    def rows(chosen: Sets, suffix: str) -> pd.DataFrame:
        table = contrasts.numbers(chosen, contrast_of(entry), level, entry["correction"], seed, METRIC, name)
        table = placed(table, model, name, entry)
        return contrasts.tidied(table.assign(variant=table["variant"] + suffix))

    tables = [rows(chosen, suffix) for suffix, chosen in measured.by_length()]
    return pd.concat([*tables, *_of_tasks(model, name, measured, entry)], ignore_index=True)


def _of_tasks(model: str, name: str, measured: Sets, entry: Mapping) -> list[pd.DataFrame]:
    """Tidy rows of `tasks.done`: one table, or none."""
    contrast = contrast_of(entry)
    rows = pd.DataFrame(tasks.done(measured, contrast, entry["bootstrap"]["level"]))
    if rows.empty:
        return []
    key = {"model": model, "metric": METRIC, "definition": DEFINITION, "unit": name, "group": ALL}
    variant = f"{entry['quantity']}_{contrast.name}{tasks.VARIANT}" + rows["task"]
    return [tidy(rows.drop(columns="task").assign(variant=variant, **key))]


def resample(model: str, name: str, observations: pd.DataFrame, entry: Mapping, seed: int) -> pd.DataFrame:
    """The same on resamples of units: a table of the schema "replicates". Draws do not depend on the model."""
    measured, n = sets(observations, entry["sides"]), entry["bootstrap"]["replicates"]
    rows = contrasts.replicates(measured, contrast_of(entry), n, seed, METRIC, name)
    return placed(rows, model, name, entry)[REPLICATES.fields.names]


def of_items(model: str, name: str, observations: pd.DataFrame, entry: Mapping) -> pd.DataFrame:
    """A table of the schema "items": an object is a set of sentences (for candidates: with a side), a word a unit."""
    contrast = contrast_of(entry)
    measured = contrast.comparable(sets(observations, entry["sides"]))
    columns = [name if side is None else f"{name}/{side}" for side in contrast.means(measured.sides)]
    by_unit = contrasts.by_unit(measured, contrast).set_axis(columns, axis="columns").rename_axis("word").reset_index()
    rows = by_unit.melt("word", var_name="object")
    return items(rows.assign(model=model, metric=METRIC, measure=contrast.name, form=""))


def changes(
    name: str,
    compared: Sequence[Sequence[str]],
    numbers: pd.DataFrame,
    observations: Mapping[str, pd.DataFrame],
    entry: Mapping,
) -> pd.DataFrame:
    """Rows of the schema "changes": the contrast of all sets, for candidates that of each side; paired by unit.

    name, entry: of the sets. compared: of `models.comparisons`. numbers: tidy rows of `measure`. observations: of
    models, by name.
    """
    indexed = numbers[(numbers["unit"] == name) & (numbers["group"] == ALL)].set_index(["model", "variant"])
    of_model = {model: sets(table, entry["sides"]) for model, table in observations.items()}
    contrast, variant_of, rows = contrast_of(entry), _variant_of(entry), []
    for comparison in compared:
        before, after = comparison[2:]
        n_units = contrasts.n_compared(of_model[before], of_model[after], contrast)
        for side, mean in contrasts.differences(of_model[before], of_model[after], contrast):
            values = (indexed.loc[model, variant_of[side]] for model in (before, after))
            null, n = contrast.scale(side).null, mean and n_units
            rows.append(
                change(comparison, METRIC, ", ".join(filter(None, [name, side])), *values, mean, null=null, n=n)
            )
    return as_changes(rows)


def _variant_of(entry: Mapping) -> dict[str | None, str]:
    return {side: variant for variant, side in variants(entry).items()}


def by_each(name: str, entry: Mapping) -> str:
    """The `unit` of tidy rows for each value of a column."""
    return f"{name}/{entry['each']}"


def placed(rows: pd.DataFrame, model: str, name: str, entry: Mapping) -> pd.DataFrame:
    """Rows of `contrasts.numbers` or `contrasts.replicates` with the key columns of a tidy row."""
    variant_of = _variant_of(entry)
    variant = [variant_of[None if pd.isna(side) else side] for side in rows["side"]]
    return rows.assign(model=model, metric=METRIC, definition=DEFINITION, variant=variant, unit=name)


def with_contrasts(
    numbers: pd.DataFrame, entries: Mapping[str, Mapping], models: Sequence[dict], each: bool = False
) -> pd.DataFrame:
    """Tidy rows with their contrast: `stimuli` (the name of the sets), `quantity`, `contrast`, `first` and `second` (of
    pairs), `side` (`Contrast.rows`), `planted`, `equivalence_bound`, the power of the test (`with_power`), and
    `unable`, why a model does not do the task, null if it does; in the order of the configuration, and of the models.

    entries: `sentence_sets` of the configuration. models: model records, by strength. each: for each value of a column
    (`each.measure`), not for groups.
    """
    known = pd.DataFrame(
        [
            {
                **{"unit": by_each(name, entry) if each else name, "variant": variant, "side": side, "stimuli": name},
                **{key: entry[key] for key in ("quantity", "contrast")},
                **dict(zip(("first", "second"), entry["sides"] if side is None else (None, None), strict=True)),
            }
            for name, entry in entries.items()
            if entry["each"] or not each
            for variant, side in variants(entry).items()
        ],
        columns=["unit", "variant", "side", "stimuli", "quantity", "contrast", "first", "second"],
    )
    known["place"] = range(len(known))
    bounds = numbers[numbers["variant"].str.endswith(BOUND)]
    bounds = bounds.assign(variant=bounds["variant"].str.removesuffix(BOUND), equivalence_bound=bounds["estimate"])
    keys = ["model", "unit", "variant", "group"]
    table = numbers.merge(known, on=["unit", "variant"]).merge(bounds[[*keys, "equivalence_bound"]], "left", on=keys)
    is_fault = numbers["variant"].str.contains(tasks.VARIANT) & numbers["note"].notna()
    faults = numbers[is_fault].groupby(["model", "unit"])["note"].agg("; ".join).rename("unable")
    table = table.join(faults, on=["model", "unit"])
    order = {model["name"]: rank for rank, model in enumerate(models)}
    planted = {model["name"]: model["planted"] for model in models}
    table = table.assign(planted=table["model"].map(planted).astype(float), rank=table["model"].map(order))
    if each:
        entries = {name: entry | {"unit": SET, "crossed_with": None} for name, entry in entries.items()}
    table = with_power(table, entries)
    is_group = table["group"] != ALL
    table = table.assign(is_group=is_group).sort_values(["place", "is_group", "group", "rank"], kind="stable")
    return table.drop(columns=["place", "rank", "is_group"]).reset_index(drop=True)


def with_power(rows: pd.DataFrame, entries: Mapping[str, Mapping]) -> pd.DataFrame:
    """Rows with `least_shown`, the least distance from the null value that the test detects with this number of units
    and probability `power.POWER`, and `n_needed`, the units needed to detect WORTH. Both are before adjustment, and
    null without a spread; the first also if no p-value can be small enough.

    rows: with `stimuli`, `contrast`, `std_error` and `n`. entries: `sentence_sets` of the configuration.
    """
    powers = [_power(row, entries[row.stimuli]) for row in rows.itertuples()]
    return rows.assign(**pd.DataFrame(powers, rows.index, columns=["least_shown", "n_needed"], dtype=float))


def _power(row, entry: Mapping) -> tuple[float, float]:
    contrast, alpha = contrast_of(entry), round(1 - entry["bootstrap"]["level"], 12)
    if np.isnan(contrast.scale(row.side).null):
        return np.nan, np.nan
    # A share of pairs has no error of its own: the one under no preference is used.
    of_pairs = contrast is SHARE and entry["unit"] == SET and not entry["crossed_with"]
    std_dev = 50.0 if of_pairs else row.std_error * row.n**0.5
    needed = power.units_needed(std_dev, WORTH[contrast.name], alpha)
    labels = contrast.n_labels(entry["sides"])
    if row.n < 2 or not (entry["crossed_with"] or randomisation.least_p_value(int(row.n), labels) <= alpha):
        return np.nan, needed
    return minimum_detectable_effect(std_dev / row.n**0.5, row.n - 1, alpha, power.POWER), needed


def observed(tables: Iterable[tuple[str, str, pd.DataFrame]]) -> pd.DataFrame:
    """Observations concatenated, for readers. tables: model, name of the sets, and their observations."""
    return pd.concat([table.assign(model=model, stimuli=name) for model, name, table in tables], ignore_index=True)[
        ["model", "stimuli", "id", "set", "side", "group", "unit", "text", "value", "note"]
    ]
