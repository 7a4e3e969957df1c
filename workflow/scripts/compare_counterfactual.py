"""Compare the effect of gender swaps before and after a change of a model (rule compare_counterfactual)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.counterfactual import score
from herbarium.statistics.changes import CHANGES

made = begin(snakemake)
params = snakemake.params
of_models = dict(
    zip(params.models, (store.read_frame(path, score.CHANGED.name) for path in snakemake.input), strict=True)
)
changes = score.compare(snakemake.wildcards.stimuli, params.compared, of_models, params.level)
store.write_table(snakemake.output[0], CHANGES, changes, made)
log.info("%d changes.", len(changes))
