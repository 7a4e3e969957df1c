"""The published rows beside ours: the authors' own counts agree, in any order of groups; others are not compared."""

from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
from tests.metrics.local_group_bias.test_score import K_MEANS, LOGAN

from herbarium.core import resources
from herbarium.metrics.local_group_bias import published
from herbarium.metrics.local_group_bias import score as lgb
from herbarium.metrics.local_group_bias.numbers import CLUSTERS
from herbarium.statistics.agreement import CELL

FIGURES = resources.read_text_table("resources/local_group_bias/published.csv", [*CELL, "value", "doubt"])


def of_authors(comparison="race: White, Black", first=0):
    """Clusters and numbers of the authors' counts. first: the column of the group that is group 0."""
    tables, rows = [], []
    for method, suffix, printed in (("k_means", "_k_means", K_MEANS), ("published", "", LOGAN)):
        counts = np.array(printed)
        n, accuracy = counts[:, :2].astype(int), counts[:, 2:]
        hits = np.rint(accuracy * n).astype(int)
        if not suffix:
            tables.append(table("global", n.sum(axis=0, keepdims=True), hits.sum(axis=0, keepdims=True), first))
        tables.append(table(method, n, hits, first))
        rows += [{"variant": name + suffix, "estimate": x} for name, x in asdict(lgb.summarise(n, hits)).items()]
    rows += [{"variant": "inertia_ratio", "estimate": 37658.90 / 37574.90}]
    clusters = pd.concat(tables, ignore_index=True).assign(model="m", task="comments", comparison=comparison)
    numbers = pd.DataFrame(rows).assign(model="m", group=f"comments/{comparison}", definition="released")
    return clusters.reindex(columns=CLUSTERS.fields.names), numbers


def table(method, n, hits, first):
    accuracy = hits / n
    rates = pd.DataFrame({f"accuracy_{g}": accuracy[:, g if not first else 1 - g] for g in (0, 1)})
    return rates.assign(method=method, gap=rates["accuracy_1"] - rates["accuracy_0"], auc_gap=np.nan)


@pytest.mark.parametrize(("comparison", "first"), [("race: White, Black", 0), ("race: black, white", 1)])
def test_the_authors_own_counts_agree_with_their_tables(comparison, first):
    rows = published.beside(FIGURES, *of_authors(comparison, first), {"comments": ""}).set_index(CELL)["agreement"]
    of_race = [(table, row) for table, row, _ in rows.index if row.startswith("race") and table != "Table 4.2"]
    known = rows.loc[[key for key in rows.index if key[:2] in of_race]]
    assert known.pop(("Table 4.1", "race, K-Means", "gap")) == "doubtful"
    assert set(known) == {"agrees", "agrees as released"}
    assert (rows.drop(known.index)[lambda left: left != "doubtful"] == "not measured").all()


def test_other_texts_and_other_groups_are_not_compared():
    clusters, numbers = of_authors()
    rows = published.beside(FIGURES, clusters, numbers, {"comments": "other comments"}).set_index(CELL)
    row = rows.loc[("Table 4.1", "race, LOGAN", "gap")]
    assert row["agreement"] == "not comparable"
    assert row["note"] == "not comparable: other comments; of m in comments"
    assert row["released"] == pytest.approx(21.527, abs=0.001)
    of_others = published.beside(FIGURES, *of_authors("race: Asian, Black"), {"comments": ""})
    assert set(of_others["agreement"]) == {"not measured"}
    assert published.groups_of("country:IE against country:SY") is None


def test_the_largest_gap_of_auc_may_be_in_another_cluster():
    clusters, _ = of_authors("gender: female, male")
    clusters = clusters.assign(auc_0=0.9, auc_1=np.linspace(0.8, 0.97, len(clusters)))
    clusters["auc_gap"] = clusters["auc_1"] - clusters["auc_0"]
    cells = published.of_clusters(clusters, "gender", ["female", "male"])
    found = {(cell["table"], cell["row"], cell["column"]): cell for cell in cells}
    last = clusters[clusters["method"] == "published"].iloc[-1]
    assert found["Table 4.2", "gender, LOGAN", "gap"]["released"] == last["auc_gap"]
    assert found["Table 4.2", "gender, LOGAN", "male"]["released"] == last["auc_1"]
    assert found["Table 4.1", "gender, LOGAN", "female"]["released"] == pytest.approx(100 * LOGAN[0][2], abs=0.01)
