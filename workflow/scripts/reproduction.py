"""Show published figures beside ours, and how many of each source are compared (rule reproduction)."""

from pathlib import Path

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.study import reproduction

begin(snakemake)
given, sources, output = snakemake.input, snakemake.params.sources, snakemake.output.text
table = reproduction.read(given.reproduction)
summary = reproduction.summary(store.read_csv(Path(given.sources).read_bytes()), table, sources)
store.write_text(output, f"{summary}\n\n{reproduction.listing(table, sources)}\n")
log.info("%s\n\nEvery figure is in %s, with notes in %s.\n", summary, output, given.reproduction)
