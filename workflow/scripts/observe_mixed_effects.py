"""Take each word's sentence with the lowest pseudo-perplexity, and its association (rule observe_mixed_effects)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.mixed_effects import stimuli

made = begin(snakemake)
record = store.read_record(snakemake.input.model)
candidates = store.read_frames(snakemake.input.stimuli, "mixed_effects_stimuli")
scores = store.read_frame(snakemake.input.scores, "scores")
lists = stimuli.lists_from(store.read_record(snakemake.input.design))
made["model"] = record
n_rows = n_refused = 0
with store.table_writer(snakemake.output[0], stimuli.OBSERVATIONS, made) as append:
    for observations in stimuli.observe(lists, candidates, scores, record["kind"]):
        append(observations)
        n_rows += len(observations)
        n_refused += observations["association"].isna().sum()
log.info("%d observations of %d candidate sentences, %d of them refused.", n_rows, len(candidates), n_refused)
