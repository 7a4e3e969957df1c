"""Compare ways to decide within constraints (rule table_amplification)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.metrics.amplification import outputs
from herbarium.metrics.amplification.numbers import BY_METHOD

made = begin(snakemake)
given, output = snakemake.input, snakemake.output
store.write_csv(output.methods, store.read_frames(given.by_method, BY_METHOD.name), made)
store.write_csv(output.structured, outputs.read(given.structured), made)
