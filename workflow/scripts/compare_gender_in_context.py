"""Compare gender in context before and after a change of vectors (rule compare_gender_in_context)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.gender_in_context import names
from herbarium.metrics.gender_in_context.changes import changes
from herbarium.statistics.changes import CHANGES

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
products = [store.read_frame(path, names.PRODUCTS.name) for path in given.products]
numbers = store.read_frames(given.numbers, "tidy")
by_source = dict(zip(params.sources, products, strict=True))
change_rows = changes(snakemake.wildcards.name, params.compared, numbers, by_source, params.sides[0])
store.write_table(snakemake.output[0], CHANGES, change_rows, made)
log.info("%d changes.", len(change_rows))
