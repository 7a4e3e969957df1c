"""f(S) of countries as profiles of continents: which rows, and of which continent."""

import pandas as pd
import pyarrow as pa

from herbarium.core import store
from herbarium.metrics.herb.groups import grouped
from herbarium.metrics.herb.likelihoods import with_matrix
from herbarium.statistics.grouped import GROUPED

TOPICS = {"mind": ["wise", "weak"], "body": ["weak", "tall"]}
REGIONS = pd.DataFrame(
    [
        ("earth", None, "the Earth", None),
        ("continent:SA", "earth", "South America", None),
        ("continent:OC", "earth", "Oceania", None),
        ("country:PE", "continent:SA", "Peru", "PE"),
        ("country:FJ", "continent:OC", "Fiji", "FJ"),
        ("city:1", "country:PE", "Lima", None),
    ],
    columns=["region", "parent", "name", "iso2"],
)


def likelihoods(offset):
    names = REGIONS["region"].tolist()[1:]
    table = pa.table({"region": names, "f": pa.nulls(len(names), pa.float64())})
    values = pd.DataFrame([[offset - row - word / 10 for word in (0, 1, 1, 2)] for row in range(len(names))])
    return with_matrix(table, values.to_numpy())


TOKENS = {"South America": 4, "Oceania": 3, "Peru": 3, "Fiji": 3, "Papua New Guinea": 5, "Lima": 3}


def test_countries_by_template_and_description(tmp_path):
    by_template = {"paper": likelihoods(0.0), "template_other": likelihoods(-10.0)}
    rows = grouped(by_template, REGIONS, TOPICS, TOKENS)
    assert len(rows) == 2 * 2 * 3  # templates, countries, distinct words
    assert set(zip(rows["unit"], rows["group"], strict=True)) == {
        ("country:PE", "South America"),
        ("country:FJ", "Oceania"),
    }
    value = rows.set_index(["template", "unit", "item"])["score"]
    assert value["paper", "country:PE", "weak"] == -2.1
    assert value["template_other", "country:FJ", "tall"] == -13.2
    store.write_table(tmp_path / "grouped.parquet", GROUPED, rows)


def test_names_of_several_tokens_are_left_out():
    rows = grouped({"paper": likelihoods(0.0)}, REGIONS, TOPICS, TOKENS | {"Fiji": 4})
    assert set(rows["unit"]) == {"country:PE"}
