"""What a study will cost: totals, what takes most of them, and both in words."""

import pandas as pd

STIMULI = "stimuli"
_FIGURES = ("jobs", "files", "bytes", "sentences", "inputs", "tokens", "passes", "hours")
_UNITS = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def half(hours: pd.Series) -> pd.Series:
    """The fewest pieces that together take at least half of all hours, the largest first. hours: by piece."""
    largest = hours.sort_values(ascending=False, kind="stable")
    before = largest.cumsum() - largest
    return largest[before < hours.sum() / 2]


def by_stage(costs: pd.DataFrame) -> pd.DataFrame:
    """The totals of each stage, in order of appearance; `longest_job` is the longest of all. costs: with the schema
    "costs", here and below. A total leaves out unknown parts; it is null if nothing is known."""
    sums = costs.groupby("stage", sort=False)[list(_FIGURES)].sum(min_count=1)
    return sums.assign(longest_job=costs.groupby("stage", sort=False)["longest_job"].max())


def describe(costs: pd.DataFrame) -> str:
    """The estimate in words and a table."""
    lines = [_table(by_stage(costs)), ""]
    timed = costs[costs["hours"].notna()]
    for device, hours in timed.groupby("device", sort=False)["hours"].sum().items():
        lines.append(f"{_hours(hours)} of jobs, one after the other, on {device}.")
    if (total := timed["hours"].sum()) > 0:
        of_stages = timed.groupby("stage", sort=False)["hours"].sum()
        shares = ", ".join(f"{stage} {hours / total:.0%}" for stage, hours in of_stages.items())
        lines.append(f"{_hours(total)} on this machine, all stages one after the other: {shares}.")
        longest = timed.loc[timed["longest_job"].idxmax()]
        lines.append(f"The longest job takes {_hours(longest['longest_job'])}: {_called(longest)}.")
        for key, what in (("stimuli", "stimuli and tasks"), ("model", "models")):
            hours = timed.groupby(key)["hours"].sum()
            largest = [f"{name} ({share / hours.sum():.0%})" for name, share in half(hours).items()]
            if len(hours) > 1:
                lines.append(f"Without these {what} it would take half or less: {', '.join(largest)}.")
    notes = [*_not_whole(costs), *_not_timed(costs)]
    return "\n".join([*lines, *[""] * bool(notes), *notes])


def _called(row: pd.Series) -> str:
    return ", ".join(str(row[key]) for key in ("stage", "model", "stimuli"))


def _not_whole(costs: pd.DataFrame) -> list[str]:
    part = costs[(costs["sampled"] > 0) & (costs["sampled"] < costs["sentences"])]
    sets = ", ".join(dict.fromkeys(part["stimuli"]))
    return [f"Extrapolated from a sample of the sentences: {sets}."] if sets else []


def _not_timed(costs: pd.DataFrame) -> list[str]:
    # stimuli with no sentence left, as none has a word to swap, take no time
    untimed = costs[(costs["stage"] != STIMULI) & costs["hours"].isna() & (costs["sentences"] > 0)]
    models = ", ".join(dict.fromkeys(untimed["model"]))
    if not models:
        return []
    return [f"Counted but not timed, as they are tiny (models that the workflow trains itself, probes): {models}."]


def _table(sums: pd.DataFrame) -> str:
    shown = pd.DataFrame(index=sums.index)
    for name in ("jobs", "sentences", "inputs", "tokens", "passes"):
        shown[name] = sums[name].map(_number)
    for name, title in (("hours", "time"), ("longest_job", "longest job")):
        shown[title] = sums[name].map(_hours)
    shown["disk"], shown["files"] = sums["bytes"].map(_bytes), sums["files"].map(_number)
    return shown.rename_axis(columns="stage", index=None).to_string()


def _number(n: float) -> str:
    return "" if pd.isna(n) else f"{int(n):,}"


def _hours(hours: float) -> str:
    if pd.isna(hours):
        return ""
    if hours >= 1:
        return f"{hours:,.1f} h"
    return f"{hours * 60:.1f} min" if hours * 60 >= 1 else f"{hours * 3600:.1f} s"


def _bytes(n: float) -> str:
    if pd.isna(n):
        return ""
    size, unit = next(((size, unit) for size, unit in _UNITS if n >= size), (1, "bytes"))
    return f"{n / size:.3g} {unit}"
