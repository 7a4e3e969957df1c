"""Compare the contrasts before and after a change of a model (rule compare_discrimination_scores)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.discrimination_scores import numbers, stimuli
from herbarium.statistics.changes import CHANGES

made = begin(snakemake)
params = snakemake.params
observations = [store.read_frame(path, stimuli.OBSERVATIONS.name) for path in snakemake.input]
of_models = dict(zip(params.models, observations, strict=True))
changes = numbers.changes(snakemake.wildcards.name, params.compared, of_models, params.effects, params.level)
store.write_table(snakemake.output[0], CHANGES, changes, made)
log.info("%d changes.", len(changes))
