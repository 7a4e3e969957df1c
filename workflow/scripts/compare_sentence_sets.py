"""Compare a set of sentences before and after a change of a model (rule compare_sentence_sets)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.sentence_sets import numbers, stimuli
from herbarium.statistics.changes import CHANGES

made = begin(snakemake)
given, params, name = snakemake.input, snakemake.params, snakemake.wildcards.name
observed = [store.read_frame(path, stimuli.OBSERVATIONS.name) for path in given.observations]
changes = numbers.changes(
    name,
    params.compared,
    store.read_frames(given.numbers, "tidy"),
    dict(zip(params.models, observed, strict=True)),
    params.entry,
)
store.write_table(snakemake.output[0], CHANGES, changes, made)
log.info("%d changes.", len(changes))
