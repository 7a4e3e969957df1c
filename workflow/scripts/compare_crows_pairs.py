"""Compare CrowS-Pairs before and after a change of a model (rule compare_crows_pairs)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.crows_pairs import score, stimuli
from herbarium.statistics.changes import CHANGES

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
observed = [store.read_frame(path, stimuli.OBSERVATIONS.name) for path in given.observations]
changes = score.changes(
    params.compared, store.read_frames(given.numbers, "tidy"), dict(zip(params.models, observed, strict=True))
)
store.write_table(snakemake.output[0], CHANGES, changes, made)
log.info("%d changes.", len(changes))
