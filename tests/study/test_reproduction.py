"""How many published figures of each source are compared: counted by hand, and the same in words."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from herbarium.statistics.agreement import PUBLISHED
from herbarium.study import reproduction, scope, targets

# `local` has its figures in the same paper as `lean`; no study here has `other`, and `Chan` prints no numbers.
SOURCES = {"lean": "Abel 2020", "local": "Abel 2020", "other": "Brand 2021"}
N_PUBLISHED = {"lean": 7, "local": 2, "other": 3}
ITEMS = pd.DataFrame(
    [
        ("Abel 2020", "Table 1", "lean", scope.REPRODUCED, "tables/lean.csv", ""),
        ("Abel 2020", "Figure 1", "effect", scope.MEASURED, "figures/effect.pdf", "No numbers."),
        ("Abel 2020", "Figure 2", "effect", scope.MEASURED, "figures/effects.pdf", "No numbers."),
        ("Brand 2021", "Table 1", "other", scope.REPRODUCED, "tables/other.csv", ""),
        ("Chan 2019", "Figure 1", "voices", "out of scope", "", "No voice is heard."),
    ],
    columns=scope.COLUMNS,
)


def row(metric, table, column, agreement, paper=np.nan, released=np.nan):
    told = {"metric": metric, "table": table, "row": "bert", "column": column, "published": "0.2", "note": None}
    return told | {"agreement": agreement, "paper": paper, "released": released, "difference": 0.0, "tolerance": 0.05}


TABLE = pd.DataFrame(
    [
        row("lean", "1", "AF", "agrees", 0.2013),
        row("lean", "1", "AS", "differs", 0.4, 0.5),
        # of two models: the first agrees, the second is another one than the paper's
        row("lean", "1", "EU", "agrees", 0.21),
        row("lean", "1", "EU", "not comparable", 0.9),
        # of two models, both of which are the paper's
        row("lean", "1", "NA", "agrees as released", 0.3, 0.2),
        row("lean", "1", "NA", "differs", 0.3, 0.4),
        row("lean", "1", "OC", "not comparable", 0.1),
        row("lean", "2", "SA", "not measured"),
        row("lean", "A.5", "SA", "doubtful", 0.2),
        row("local", "3", "AF", "not measured"),
        row("local", "3", "AS", "not measured"),
    ],
    columns=PUBLISHED.fields.names,
)
COUNTED = reproduction.by_source(TABLE, N_PUBLISHED, SOURCES, ITEMS)
ABEL = {"published": 9, "compared": 5, "agrees": 2, "agrees_as_released": 1, "differs": 2, "doubtful": 1}
ABEL |= {"not_comparable": 1, "not_measured": 3}


def test_figures_are_counted_by_source():
    counted = COUNTED.set_index("source")
    assert counted.index.tolist() == ["Abel 2020", "Brand 2021", "Chan 2019"]
    assert counted.loc["Abel 2020", [*reproduction.COUNTS]].to_dict() == ABEL
    assert counted.loc["Brand 2021", [*reproduction.COUNTS]].tolist() == [3, 0, 0, 0, 0, 0, 0, 3]
    assert counted.loc["Chan 2019", [*reproduction.COUNTS]].tolist() == [0] * 8
    items = counted[[f"items_{name}" for name in ("reproduced", "measured", "engine", "out_of_scope")]]
    assert items.to_numpy().tolist() == [[1, 2, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]]


def test_a_study_without_any_of_them_has_measured_none():
    counted = reproduction.by_source(TABLE.iloc[:0], N_PUBLISHED, SOURCES, ITEMS)
    assert counted["published"].tolist() == counted["not_measured"].tolist() == [9, 3, 0]
    assert counted["compared"].tolist() == [0, 0, 0]
    said = reproduction.summary(counted, TABLE.iloc[:0], SOURCES)
    assert "Table 1" not in said
    assert reproduction.listing(TABLE.iloc[:0], SOURCES)


def test_figures_of_a_metric_that_a_study_leaves_out_are_published_all_the_same():
    counted = reproduction.by_source(TABLE[TABLE["metric"] == "lean"], N_PUBLISHED, SOURCES, ITEMS)
    assert counted["published"].tolist() == [9, 3, 0]
    assert counted["not_measured"].tolist() == [3, 3, 0]


def test_a_metric_that_is_not_ours_is_a_source_of_its_own():
    mine = pd.DataFrame([row("mine", "1", "AF", "agrees", 0.2), row("mine", "1", "AS", "differs", 0.3)])
    table = pd.concat([TABLE, mine], ignore_index=True)
    counted = reproduction.by_source(table, N_PUBLISHED, SOURCES, ITEMS)
    assert counted.iloc[:3].equals(COUNTED)
    assert counted.iloc[3].tolist() == ["mine", 2, 2, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    assert "mine, Table 1: 2 of 2 compared: agrees 1, differs 1" in reproduction.summary(counted, table, SOURCES)
    assert sum(line.startswith("bert ") for line in rows_of(reproduction.listing(table, SOURCES))) == 8 + 2


@pytest.mark.parametrize("seed", range(10))
def test_each_figure_is_compared_or_not_comparable_or_not_measured(seed):
    table = TABLE.assign(agreement=np.random.default_rng(seed).permutation(TABLE["agreement"]))
    counted = reproduction.by_source(table, N_PUBLISHED, SOURCES, ITEMS)
    parts = counted[["compared", "not_comparable", "not_measured"]]
    assert (parts.sum(axis=1) == counted["published"]).all()
    kinds = counted[["agrees", "agrees_as_released", "differs", "doubtful"]]
    assert (kinds.max(axis=1) <= counted["compared"]).all()
    assert (kinds.sum(axis=1) >= counted["compared"]).all()


def rows_of(text):
    """The lines of a text, without space between their words."""
    return [" ".join(line.split()) for line in text.splitlines()]


def test_the_summary_has_the_sources_and_the_tables_that_are_measured():
    text = reproduction.summary(COUNTED, TABLE, SOURCES)
    rows = rows_of(text)
    assert "Abel 2020 9 5 2 1 2 1 1 3" in rows
    assert "all 12 5 2 1 2 1 1 6" in rows
    assert "Abel 2020 1 2 0 0" in rows
    assert "Abel 2020, Table 1: 4 of 5 compared: agrees 2, agrees as released 1, differs 2, not comparable 1" in rows
    assert "Abel 2020, Appendix A.5: 1 of 1 compared: doubtful 1" in rows
    assert not any("Table 2" in row or "Table 3" in row for row in rows)
    assert max(map(len, text.splitlines())) <= 120


def test_the_listing_has_each_of_ours_beside_the_figure():
    rows = rows_of(reproduction.listing(TABLE, SOURCES))
    assert "bert AF 0.2 0.2013 agrees" in rows
    assert "bert AS 0.2 0.5 0.4 differs" in rows  # released, then ours
    assert "bert OC 0.2 0.1 not comparable" in rows
    assert not any(row.startswith("bert SA") and "not measured" in row for row in rows)
    assert sum(row.startswith("bert ") for row in rows) == 8


def test_sources_are_those_of_the_list():
    assert set(targets.PUBLISHED.values()) <= set(scope.read("resources/scope.csv")["source"])


def test_metrics_with_published_figures_name_their_source():
    assert targets.PUBLISHED.keys() == {path.parent.name for path in Path("resources").glob("*/published.csv")}
