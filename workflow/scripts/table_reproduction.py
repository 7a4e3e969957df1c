"""Compare every published figure with ours in one table (rule table_reproduction)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.statistics.agreement import NOT_MEASURED, PUBLISHED

made = begin(snakemake)
empty = pd.DataFrame(columns=PUBLISHED.fields.names)
table = store.read_frames(snakemake.input, "published") if snakemake.input else empty
store.write_csv(snakemake.output.reproduction, table, made)
log.info("%d published figures, %d of them not measured.", len(table), (table["agreement"] == NOT_MEASURED).sum())
