"""Combine the answers of all shards into one value a sentence (rule gather_scores)."""

import numpy as np

from herbarium import quantities, store
from herbarium.console import log, start_log

SENTENCES_A_BLOCK = 500_000

start_log(snakemake.log[0])
shards = [store.read_table(path, "answers") for path in snakemake.input.shards]
answers = np.full(sum(map(len, shards)), np.nan)
for shard in shards:
    answers[shard["request"].to_numpy()] = shard["log_probability"].to_numpy()
provenance = {"code": snakemake.params.code, "model": store.read_header(snakemake.input.shards[0], "answers")["model"]}
n_refused = 0
with store.table_writer(snakemake.output[0], quantities.SCORES, provenance) as append:
    for sentences in store.read_batches(snakemake.input.sentences, "plan_sentences", SENTENCES_A_BLOCK):
        scores = quantities.gather(answers, sentences)
        append(scores)
        n_refused += scores["value"].null_count
log.info("%d answers gathered; %d sentences refused.", len(answers), n_refused)
