"""Numbers for each value of a column separately, such as each occupation, and their correlation with external data
about these."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from herbarium.core.random import stream
from herbarium.metrics.sentence_sets import beside
from herbarium.metrics.sentence_sets.numbers import DEFINITION, METRIC, by_each, contrast_of, placed, variants
from herbarium.statistics import attenuation, contrasts
from herbarium.statistics.correlation import FEWEST
from herbarium.statistics.sets import ALL, sets
from herbarium.statistics.tidy import tidy

# Suffixes of a variant for its correlation with known numbers, and for the one corrected for the errors of both.
CORRELATION = "_correlation"
CORRECTED = f"{CORRELATION}_corrected"
# Columns of the tables for readers: of each value, and of correlations.
OF_EACH = ["each", beside.BESIDE, beside.KNOWN]
CORRELATIONS = [
    *("stimuli", "each", "model", "n", "correlation", "ci_low", "ci_high", "p_value"),
    *("corrected", "corrected_low", "corrected_high", "note"),
]


def measure(model: str, name: str, observations: pd.DataFrame, entry: Mapping, seed: int) -> pd.DataFrame:
    """Tidy rows for each value of the column `each`: `unit` is `by_each`, `group` the value.

    Its sets are the units, and p-values are adjusted over the values. Arguments as of `numbers.measure`.
    """
    per_thing = sets(observations, entry["sides"])
    each = observations.drop_duplicates("set")["each"].to_numpy()
    is_set, alike = per_thing.alike is None, per_thing.alike
    unit = np.arange(len(each)) if is_set else alike
    per_thing = replace(per_thing, group=each, unit=unit, by_set=is_set, crossed=None)
    level = entry["bootstrap"]["level"]
    rows = contrasts.numbers(per_thing, contrast_of(entry), level, entry["correction"], seed, METRIC, name, "each")
    rows = rows[rows["group"] != ALL]
    return contrasts.tidied(placed(rows, model, name, entry).assign(unit=by_each(name, entry)))


def correlate(
    model: str, name: str, numbers: pd.DataFrame, known: pd.DataFrame, entry: Mapping, seed: int
) -> pd.DataFrame:
    """Two tidy rows: the correlation of the numbers of `measure` with known ones, and the same corrected for the errors
    of both (`attenuation.correlations`). A value without an error, such as that of a single set, is left out.

    known: of `beside.read`. entry: with one variant.
    """
    (variant,) = variants(entry)
    estimates = numbers[numbers["variant"] == variant].dropna(subset=["estimate", "std_error"]).set_index("group")
    known = known.set_index(beside.THING).loc[estimates.index]
    rows = pd.DataFrame({"variant": [variant + CORRELATION, variant + CORRECTED], "n": len(estimates)})
    rows["over"] = f"values of {entry['each']}"
    rows = rows.assign(model=model, metric=METRIC, definition=DEFINITION, unit=by_each(name, entry), group=ALL)
    if len(estimates) < FEWEST:
        return tidy(rows.assign(note=f"fewer than {FEWEST} values of '{entry['each']}' have a number"))
    columns = estimates["estimate"], estimates["std_error"], known[beside.KNOWN], known[beside.ERROR]
    values = (column.to_numpy(float) for column in columns)
    random = stream(seed, METRIC, name, "correlation")
    coefficients = pd.DataFrame(attenuation.correlations(*values, entry["bootstrap"]["level"], random))
    rows = rows.join(coefficients)
    return tidy(rows.assign(p_adjusted=rows.get("p_value")))


def correlations(numbers: pd.DataFrame, entries: Mapping[str, Mapping], models: Sequence[str]) -> pd.DataFrame:
    """One row per set of sentences with known numbers and model, with CORRELATIONS.

    numbers: tidy rows, those of `correlate` among them. entries: `sentence_sets` of the configuration. models: in their
    order.
    """
    rows = []
    indexed = numbers.set_index(["unit", "model", "variant"])
    for name, entry in entries.items():
        variant = next(iter(variants(entry)))
        for model in models:
            place = (by_each(name, entry), model)
            if (*place, variant + CORRELATION) in indexed.index:
                plain, corrected = (indexed.loc[(*place, variant + behind)] for behind in (CORRELATION, CORRECTED))
                rows.append(
                    {
                        **{"stimuli": name, "each": entry["each"], "model": model, "correlation": plain["estimate"]},
                        **{column: plain[column] for column in ("n", "ci_low", "ci_high", "p_value")},
                        **{"corrected": corrected["estimate"], "note": corrected["note"]},
                        **{f"corrected_{bound}": corrected[f"ci_{bound}"] for bound in ("low", "high")},
                    }
                )
    return pd.DataFrame(rows, columns=CORRELATIONS)


def with_known(rows: pd.DataFrame, entries: Mapping[str, Mapping], known: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Rows of each value with OF_EACH: the column, what is known about its values, and the known number; null without.

    rows: of `numbers.with_contrasts`. entries: `sentence_sets` of the configuration. known: of `beside.read`, by the
    name of the sets.
    """
    empty = pd.DataFrame(columns=["stimuli", *beside.COLUMNS])
    tables = [table.assign(stimuli=name) for name, table in known.items()]
    beside_all = pd.concat(tables) if tables else empty
    beside_all = beside_all.rename(columns={beside.THING: "group"}).drop(columns=beside.ERROR)
    each_of = {name: entry["each"] for name, entry in entries.items()}
    return rows.assign(each=rows["stimuli"].map(each_of)).merge(beside_all, "left", on=["stimuli", "group"])
