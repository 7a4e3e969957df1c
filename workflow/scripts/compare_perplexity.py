"""Compare pseudo-perplexity before and after a change of a model (rule compare_perplexity)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.perplexity import score
from herbarium.statistics.changes import CHANGES

made = begin(snakemake)
params = snakemake.params
scores = [store.read_frame(path, "scores") for path in snakemake.input]
of_models = dict(zip(params.models, scores, strict=True))
changes = score.changes(params.compared, snakemake.wildcards.corpus, of_models, params.level, params.worst_ratio)
store.write_table(snakemake.output[0], CHANGES, changes, made)
log.info("%d changes.", len(changes))
