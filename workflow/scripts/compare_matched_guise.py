"""Compare the slope on ratings before and after a change of a model (rule compare_matched_guise)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.matched_guise import numbers, stimuli
from herbarium.statistics.changes import CHANGES

made = begin(snakemake)
params = snakemake.params
observations = [store.read_frame(path, stimuli.OBSERVATIONS.name) for path in snakemake.input]
of_models = dict(zip(params.models, observations, strict=True))
changes = numbers.changes(snakemake.wildcards.name, params.compared, of_models, params.level)
store.write_table(snakemake.output[0], CHANGES, changes, made)
log.info("%d changes.", len(changes))
