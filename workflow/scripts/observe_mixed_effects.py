"""Of each word in each sentence the least perplexed, with its association score (rule observe_mixed_effects)."""

import pandas as pd

from herbarium import store
from herbarium.console import log
from herbarium.probes import mixed_effects
from herbarium.step import begin

made = begin(snakemake)
record = store.read_record(snakemake.input.model)
probe = pd.concat(store.read_frame(shard, "mixed_effects_probe") for shard in snakemake.input.probe)
scores = store.read_frame(snakemake.input.scores, "scores")
lists = mixed_effects.read(snakemake.params.lists)
made["model"] = record
n_rows = n_refused = 0
with store.table_writer(snakemake.output[0], mixed_effects.OBSERVATIONS, made) as append:
    for observations in mixed_effects.observe(lists, probe, scores, record["kind"]):
        append(observations)
        n_rows += len(observations)
        n_refused += observations["association"].isna().sum()
log.info("%d observations of %d candidate sentences, %d of them refused.", n_rows, len(probe), n_refused)
