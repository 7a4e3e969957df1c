"""Every published figure beside ours, and whether they agree (rule table_reproduction)."""

from pathlib import Path

import pandas as pd

from herbarium.core import resources, store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.study import reproduction

made = begin(snakemake)
given = snakemake.input
published = {Path(path).stem: resources.read_table(path, ["value"]) for path in given.published}


def read(path):
    """A table of ours beside published figures; only an empty cell of it is null."""
    return pd.read_csv(path, keep_default_na=False, na_values=[""], dtype={"model": str, "table": str})


ours = {
    metric: {Path(path).stem.partition("_table")[2]: read(path) for path in given[metric]}
    for metric in reproduction.METRICS
}
table = reproduction.table(published, ours)
store.write_csv(snakemake.output.reproduction, table, made)
log.info(
    "%d published figures, %d of them not measured.",
    len(table),
    (table["agreement"] == reproduction.NOT_MEASURED).sum(),
)
