"""Read the texts of one language of parallel texts (rule read_parallel)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.resources import with_unseen
from herbarium.core.step import begin
from herbarium.models import sources
from herbarium.training import parallel

made = begin(snakemake)
entry, given = snakemake.params.entry, snakemake.wildcards
tables, source = sources.read_as_before(entry, snakemake.output[0], parallel.PARALLEL.name)
table = parallel.as_table(sources.texts(entry, tables, f"parallel.{given.parallel}.texts.{given.language}"))
noted = with_unseen(table["text"])
store.write_table(snakemake.output[0], parallel.PARALLEL, table, made | source | {"noted": noted})
log.info("%s, %s: %d rows.", given.parallel, given.language, len(table))
for what, n in noted.items():
    log.warning("%s, %s: %d rows %s.", given.parallel, given.language, n, what)
