"""Decide structured outputs within constraints, with each algorithm (rule decide_amplification)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.amplification import outputs
from herbarium.metrics.amplification.numbers import ITERATIONS

made = begin(snakemake)
output, params, name = snakemake.output, snakemake.params, snakemake.wildcards.name
entry = params.entry
if entry["planted"]:
    posed = outputs.planted(entry["planted"], params.seed)
elif entry["labels"]:
    posed = [outputs.of_coco(entry["potentials"], entry["labels"], params.least)]
else:
    posed = [outputs.of_imsitu(*(entry[key] for key in ("potentials", "arguments", "words", "rates")))]
outcome, iterations = outputs.side_by_side(name, posed, params.margin, log.info)
store.write_table(output.numbers, outputs.STRUCTURED, outcome, made)
store.write_table(output.iterations, ITERATIONS, iterations[ITERATIONS.fields.names], made)
