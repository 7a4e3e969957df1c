"""Of each word in each sentence the least perplexed, with its association score (rule observe_mixed_effects)."""

import pandas as pd

from herbarium import store
from herbarium.console import log, start_log
from herbarium.probes import mixed_effects

start_log(snakemake.log[0])
record = store.read_json(snakemake.input.model)
probe = pd.concat(store.read_frame(shard, "mixed_effects_probe") for shard in snakemake.input.probe)
scores = store.read_frame(snakemake.input.scores, "scores")
lists = mixed_effects.read(snakemake.params.lists)
provenance = {"code": snakemake.params.code, "model": record}
n_rows = n_refused = 0
with store.table_writer(snakemake.output[0], mixed_effects.OBSERVATIONS, provenance) as append:
    for observations in mixed_effects.observe(lists, probe, scores, record["kind"]):
        append(observations)
        n_rows += len(observations)
        n_refused += observations["association"].isna().sum()
log.info("%d observations of %d candidate sentences, %d of them refused.", n_rows, len(probe), n_refused)
