"""Compare CrowS-Pairs as published with our numbers (rule table_crows_pairs)."""

import pandas as pd

from herbarium.core import resources, store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.crows_pairs import published
from herbarium.metrics.crows_pairs.score import METRIC
from herbarium.statistics.agreement import PUBLISHED, marked
from herbarium.statistics.fits_overview import ADJUSTED
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
given, output = snakemake.input, snakemake.output


def together(paths, schema):
    """Tables of a schema; one without rows if nothing was measured."""
    return store.read_frames(paths, schema.name) if paths else pd.DataFrame(columns=schema.fields.names)


figures = resources.read_table(given.published, ["table", "value"])
fits = together(given.fits, ADJUSTED)
table = published.beside(figures, fits[fits["data"] == METRIC], together(given.numbers, TIDY))
table = marked(table, published.reasons(table, snakemake.params.others))
store.write_csv(output.table15, table, made)
store.write_table(output.beside, PUBLISHED, published.published(figures, table), made)
log.info("%d figures compared with published ones.", len(table))
