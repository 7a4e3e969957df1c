"""Two runs side by side: which numbers differ, by how much and with what certainty, and the possible causes.

Base is the earlier run, or that of the model to compare with; new is the other one.
"""

import json
from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from herbarium.statistics.inference import above_zero, adjust
from herbarium.statistics.tidy import KEY
from herbarium.study import run
from herbarium.study.changes import LEVEL
from herbarium.study.pairing import INDEPENDENT, Left, paired_by

_NUMBERS = ["estimate", "std_error", "ci_low", "ci_high", "p_value", "p_adjusted", "n", "converged"]
_SHOWN = ["estimate", "ci_low", "ci_high", "n"]
_INFERRED = ["std_error", "z", "ci_low", "ci_high", "p_value", "p_adjusted"]
METHOD = "fdr_bh"
SAME = "same"
# How a number can have changed, the most important first.
CHANGES = ("apart", "outside", "no value", "no interval", "within", "gone", "new", SAME)
# The number of entries that `describe` lists, and of characters in each.
_FIRST = 10
_LONGEST = 48


def changes(base: pd.DataFrame, new: pd.DataFrame, left: Iterable[tuple[str, Left]] = ()) -> pd.DataFrame:
    """One row per number of either run. base, new: tidy tables. left: what both share (`side_by_side.left`).

    Columns: `KEY`, by which the runs are joined; `change`; estimate, interval and n in {column}_base and _new;
    `difference`, new less base; `pairing`, how it is tested; its `std_error`, `z` (the difference over its error),
    `ci_low`, `ci_high`, `p_value`, `p_adjusted` and `note`. `change` is one of

    - same: every number of the row, to the last bit
    - within: no interval excludes the estimate of the other run
    - outside: one does; apart: the two intervals do not overlap
    - no interval: the estimates differ, and neither has one
    - no value: one run has no estimate
    - new, gone: the row is in one run only

    `pairing` is one of `pairing.PAIRINGS` if the number can be paired; what both runs share then cancels from the
    error, too. Otherwise it is "independent": normal, with the error √(se² + se²), which is too large for runs that
    share texts, words or regions. P-values are two-sided; those of a metric form a family, which is adjusted by
    Benjamini and Hochberg (1995).
    """
    table = base.merge(new, how="outer", on=[*KEY], suffixes=("_base", "_new"), indicator="side", validate="one_to_one")
    before, after = (
        table[[f"{name}_{side}" for name in _NUMBERS]].set_axis(_NUMBERS, axis="columns") for side in ("base", "new")
    )
    alike = (before == after) | (before.isna() & after.isna())
    apart = (after["ci_low"] > before["ci_high"]) | (after["ci_high"] < before["ci_low"])
    table["change"] = np.select(
        [
            table["side"] == "left_only",
            table["side"] == "right_only",
            alike.all(axis=1),
            before["estimate"].isna() != after["estimate"].isna(),
            alike["estimate"],
            apart,
            _shut_out(before, after) | _shut_out(after, before),
            before["ci_low"].notna() | after["ci_low"].notna(),
        ],
        ["gone", "new", SAME, "no value", "within", "apart", "outside", "within"],
        "no interval",
    )
    table["difference"] = after["estimate"] - before["estimate"]
    inferred = paired_by(table[table["difference"].notna()], left)
    table = table.join(_independent(before, after, table["difference"]))
    table.loc[inferred.index, inferred.columns] = inferred
    table["z"] = table["difference"] / table["std_error"].where(table["std_error"] > 0)
    of_metric = table.groupby("metric")["p_value"]
    table["p_adjusted"] = of_metric.transform(lambda p_values: adjust(p_values.to_numpy(), METHOD))
    shown = [f"{name}_{side}" for side in ("base", "new") for name in _SHOWN]
    table = table[[*KEY, "change", *shown, "difference", "pairing", *_INFERRED, "note"]]
    weight = pd.DataFrame({"change": table["change"].map(CHANGES.index), "z": -table["z"].abs()})
    return table.loc[weight.sort_values(["change", "z"], kind="stable").index].reset_index(drop=True)


def _independent(before: pd.DataFrame, after: pd.DataFrame, difference: pd.Series) -> pd.DataFrame:
    """Inference on differences of numbers that share nothing."""
    variance = before["std_error"] ** 2 + after["std_error"] ** 2
    error = np.sqrt(variance.where(variance > 0))
    half = error * ndtri((1 + LEVEL) / 2)
    return pd.DataFrame(
        {
            "pairing": pd.Series(INDEPENDENT, difference.index, dtype=object).where(error.notna(), None),
            "std_error": error,
            "ci_low": difference - half,
            "ci_high": difference + half,
            "p_value": above_zero(2 * ndtr(-(difference / error).abs())),
            "note": pd.Series(None, difference.index, dtype=object),
        }
    )


def _shut_out(one_side: pd.DataFrame, other: pd.DataFrame) -> pd.Series:
    """Whether intervals exclude the estimates of the other run; a missing one excludes nothing."""
    return (other["estimate"] < one_side["ci_low"]) | (other["estimate"] > one_side["ci_high"])


def causes(base: dict, new: dict) -> pd.DataFrame:
    """Differences between two runs that numbers depend on: `kind`, `name`, and the values in `base` and `new`.

    base, new: from `run.record`. kind is code (by rule: the hash of all code that its script uses), configuration
    (by dotted key), library (its versions), model (revision, hash of its files, number format, device) or source (the
    checksum of a file that the study began from). If a run does not have it, null.
    """
    rows = [
        {"kind": kind, "name": name, "base": before.get(name), "new": after.get(name)}
        for (kind, before), after in zip(_said(base).items(), _said(new).values(), strict=True)
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]
    return pd.DataFrame(rows, columns=["kind", "name", "base", "new"])


def _said(record: dict) -> dict[str, dict[str, str]]:
    """Kind of cause -> name -> what the record says about it, for all that the summary was made from."""
    files = [record["files"][place] for place in run.behind(record["files"], run.SUMMARY)]
    models = [
        (f"{name}.{key}", value)
        for file in files
        for name, model in file["models"].items()
        for key, value in model.items()
    ]
    for place, model in record["models"].items():
        run_as = model | model.get("tuned", {})
        models += [(f"{place}.{key}", run_as.get(key)) for key in ("dtype", "device")]
    models += [(f"{file['rule']}.device", file.get("device")) for file in files]
    # the folder of the results changes no number
    study = {key: value for key, value in record["study"].items() if key != "results"}
    return {
        "code": _gathered((file["rule"], file["code"]) for file in files),
        "configuration": _gathered(_flat(study)),
        "library": _gathered(library for file in files for library in file["libraries"].items()),
        "model": _gathered(models),
        "source": _gathered(
            given for file in files for given in file["inputs"].items() if given[0] not in record["files"]
        ),
    }


def _flat(value: object, *keys: str) -> Iterator[tuple[str, object]]:
    """Every value in nested dictionaries by its dotted key."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, *keys, key)
    else:
        yield ".".join(keys), value


def _gathered(pairs: Iterable[tuple[str, object]]) -> dict[str, str]:
    """Name -> what is said about it, as text; if several things are said, all of them."""
    by_name: dict[str, set[str]] = {}
    for name, value in pairs:
        if value is not None:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            by_name.setdefault(name, set()).add(text)
    return {name: ", ".join(sorted(texts)) for name, texts in by_name.items()}


def describe(changes: pd.DataFrame, causes: pd.DataFrame) -> str:
    """Both tables in words for the terminal: only the first of many numbers, and of many causes of a kind."""
    counts = pd.crosstab(changes["metric"], changes["change"]).reindex(columns=list(CHANGES), fill_value=0)
    counts["p < .05"] = (changes["p_adjusted"] < 0.05).groupby(changes["metric"]).sum()
    beyond = changes[changes["change"].isin(["apart", "outside"])]
    numbers = [
        f"  {row['change']}: {', '.join(row[key] for key in KEY if pd.notna(row[key]))}: "
        f"{row['estimate_base']:.4g} -> {row['estimate_new']:.4g}"
        for row in beyond.to_dict("records")
    ]
    lines = [
        counts.to_string(),
        "",
        f"Changed beyond their intervals: {len(beyond)} of {len(changes)}",
        *_first(numbers),
    ]
    lines.append(f"Possible causes, which differ between the runs: {len(causes)}")
    for kind, rows in causes.groupby("kind", sort=False):
        lines += _first(
            [f"  {kind} {name}: {_short(base)} -> {_short(new)}" for _, name, base, new in rows.itertuples(index=False)]
        )
    return "\n".join(lines)


def _first(lines: list[str]) -> list[str]:
    return lines if len(lines) <= _FIRST else [*lines[:_FIRST], f"  and {len(lines) - _FIRST} more"]


def _short(text: str | None) -> str:
    if pd.isna(text):
        return "nothing"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
