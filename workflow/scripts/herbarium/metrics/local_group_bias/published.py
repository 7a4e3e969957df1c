"""Tables 4.1, 4.2 and 4.4 of Zhao's thesis (2021) compared with our numbers, of tasks with the same groups.

These are the attributes "race", with the groups "white" and "black", and "gender", with "male" and "female". LOGAN is
`exact` under the definition `paper` and `published` under `released`.
"""

from collections.abc import Iterator, Mapping

import pandas as pd

from herbarium.metrics.local_group_bias.names import METRIC, are_published
from herbarium.metrics.local_group_bias.numbers import GLOBAL, K_MEANS
from herbarium.metrics.local_group_bias.score import EXACT, PUBLISHED
from herbarium.statistics import agreement

_METHODS = {"Global": {"paper": GLOBAL}, "K-Means": {"paper": K_MEANS}}
_METHODS["LOGAN"] = {"paper": EXACT, "released": PUBLISHED}
# The tables of rates by group: the rate, the column with its gap, and the unit in which it is printed.
_RATES = {"Table 4.1": ("accuracy", "gap", 100), "Table 4.2": ("auc", "auc_gap", 1)}
_OVER_CLUSTERS = {"bcr": 100, "bir": 100, "bias": 100}  # of Table 4.4


def groups_of(comparison: str) -> tuple[str, list[str]] | None:
    """The attribute of a comparison and its two groups, in lower case, if the figures are about these; else None."""
    attribute, _, names = comparison.partition(": ")
    groups = names.casefold().split(", ")
    return (attribute, groups) if are_published(attribute, groups) else None


def of_clusters(clusters: pd.DataFrame, attribute: str, groups: list[str]) -> Iterator[dict]:
    """Rows of Tables 4.1 and 4.2: CELL, and ours. clusters: of one model and comparison."""
    for table, (rate, gap, unit) in _RATES.items():
        for method, names in _METHODS.items():
            largest = {
                definition: _largest(clusters[clusters["method"] == name], gap) for definition, name in names.items()
            }
            largest = {definition: row for definition, row in largest.items() if row is not None}
            columns = {groups[g]: f"{rate}_{g}" for g in (0, 1)} | {"gap": gap}
            for column, source in columns.items():
                ours = {definition: unit * abs(row[source]) for definition, row in largest.items()}
                yield {"table": table, "row": f"{attribute}, {method}", "column": column} | ours


def _largest(clusters: pd.DataFrame, gap: str) -> pd.Series | None:
    """The cluster of the largest gap; None without one."""
    known = clusters[clusters[gap].notna()]
    return None if known.empty else known.loc[known[gap].abs().idxmax()]


def over_clusters(numbers: pd.DataFrame, attribute: str) -> Iterator[dict]:
    """Rows of Table 4.4: CELL, and ours. numbers: tidy rows of one model and comparison."""
    by_definition = {definition: rows.set_index("variant") for definition, rows in numbers.groupby("definition")}
    for method, suffix in (("K-Means", f"_{K_MEANS}"), ("LOGAN", "")):
        variants = {name: (name + suffix, unit) for name, unit in _OVER_CLUSTERS.items()}
        variants |= {} if suffix else {"inertia": ("inertia_ratio", 1)}
        for column, (variant, unit) in variants.items():
            ours = {definition: unit * rows["estimate"][variant] for definition, rows in by_definition.items()}
            yield {"table": "Table 4.4", "row": f"{attribute}, {method}", "column": column} | ours


def beside(
    figures: pd.DataFrame, clusters: pd.DataFrame, numbers: pd.DataFrame, others: Mapping[str, str]
) -> pd.DataFrame:
    """Rows of the schema "published". figures: `table, row, column, value, doubt`. clusters: of the schema
    "local_group_bias_clusters"; numbers: tidy. others: why a task's texts are not those of the figures, by task."""
    parts = []
    for (model, task, comparison), rows in clusters.groupby(["model", "task", "comparison"], sort=False):
        if named := groups_of(comparison):
            is_here = (numbers["model"] == model) & (numbers["group"] == f"{task}/{comparison}")
            cells = [*of_clusters(rows, *named), *over_clusters(numbers[is_here], named[0])]
            ours = pd.DataFrame(cells).assign(said=f"of {model} in {task}")
            parts.append(agreement.of_others(ours.merge(figures[agreement.CELL]), others[task]))
    return agreement.beside(METRIC, figures, parts)
