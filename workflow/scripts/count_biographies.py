"""Count the biographies that the probes of a task are trained on, for the estimate (rule count_biographies)."""

from herbarium.core import store
from herbarium.core.costs import write
from herbarium.core.step import begin
from herbarium.metrics.biographies import costs, stimuli

made = begin(snakemake)
design = store.read_frame(snakemake.input.design, stimuli.DESIGN.name)
task = snakemake.wildcards.name
write(snakemake.output[0], [costs.probes(design, snakemake.params.min_texts)], "", f"biographies/{task}", made)
