"""Numbers of sentences that someone wrote to be compared, as tidy rows, and their resamples."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from herbarium.statistics import contrasts
from herbarium.statistics.contrasts import CANDIDATES, PAIRS
from herbarium.statistics.replicates import REPLICATES
from herbarium.statistics.tidy import tidy

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
    *("ci_low", "ci_high", "p_value", "p_adjusted", "n", "note"),
]


def variants(entry: Mapping) -> dict[str, str | None]:
    """Variant -> the side that its rows are of, None of pairs. entry: of `sentence_sets` in the configuration."""
    quantity, contrast = entry["quantity"], entry["contrast"]
    if contrast == CANDIDATES:
        return {f"{quantity}_of_{side}": side for side in entry["sides"]}
    return {f"{quantity}_{'difference' if contrast == PAIRS else contrast}": None}


def measure(model: str, name: str, observations: pd.DataFrame, entry: Mapping, seed: int) -> pd.DataFrame:
    """Tidy rows: `unit` is the name of the sets, `group` a group of them or `all`, `n` the number of units.

    observations: of the schema "sentence_sets_observations". entry: of `sentence_sets` in the configuration.
    """
    of, level = contrasts.sets(observations, entry["sides"]), entry["bootstrap"]["level"]
    rows = contrasts.numbers(of, entry["contrast"], level, entry["correction"], seed, METRIC, name)
    return tidy(_placed(rows, model, name, entry).drop(columns=["side", "n_sets", "n_left_out"]))


def resample(model: str, name: str, observations: pd.DataFrame, entry: Mapping, seed: int) -> pd.DataFrame:
    """The same on resamples of units: a table of the schema "replicates". Draws do not depend on the model."""
    of, n = contrasts.sets(observations, entry["sides"]), entry["bootstrap"]["replicates"]
    rows = contrasts.replicates(of, entry["contrast"], n, seed, METRIC, name)
    return _placed(rows, model, name, entry)[REPLICATES.fields.names]


def _placed(rows: pd.DataFrame, model: str, name: str, entry: Mapping) -> pd.DataFrame:
    variant_of = {side: variant for variant, side in variants(entry).items()}
    variant = [variant_of[None if pd.isna(side) else side] for side in rows["side"]]
    return rows.assign(model=model, metric=METRIC, definition=DEFINITION, variant=variant, unit=name)


def with_contrasts(numbers: pd.DataFrame, entries: Mapping[str, Mapping], models: Sequence[dict]) -> pd.DataFrame:
    """Tidy rows with what they are of: `stimuli` (the name of the sets), `quantity`, `contrast`, `first` and `second`
    (of pairs), `side` (of candidates), and `planted`; in the order of the configuration, and of the models.

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
    found = numbers.merge(known, on=["unit", "variant"])
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
