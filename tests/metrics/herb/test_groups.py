"""f(S) as data of the common mixed model: which rows, and of which continent."""

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


def test_countries_by_template_and_description(tmp_path):
    rows = grouped({"paper": likelihoods(0.0), "template_other": likelihoods(-10.0)}, REGIONS, TOPICS)
    assert len(rows) == 2 * 2 * 3  # templates, countries, distinct words
    assert set(zip(rows["word"], rows["pair"], rows["group"], strict=True)) == {
        ("country:PE", "country:PE", "South America"),
        ("country:FJ", "country:FJ", "Oceania"),
    }
    value = rows.set_index(["template", "word", "target"])["association"]
    assert value["paper", "country:PE", "weak"] == -2.1
    assert value["template_other", "country:FJ", "tall"] == -13.2
    assert (rows["weight"] == 1).all()
    store.write_table(tmp_path / "grouped.parquet", GROUPED, rows)
