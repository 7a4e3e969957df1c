"""Combine the answers of all shards into one value a sentence (rule gather_scores)."""

import numpy as np

from herbarium import answers, quantities, store
from herbarium.console import log, start_log

start_log(snakemake.log[0])
given = snakemake.input
header = store.read_header(given.answers[0], "answers")
n_sentences = n_refused = 0
with store.table_writer(
    snakemake.output[0], quantities.SCORES, {"code": snakemake.params.code, "model": header["model"]}
) as append:
    for paths in zip(given.inputs, given.requests, given.sentences, given.answers, strict=True):
        schemas = ("plan_inputs", "plan_requests", "plan_sentences", "answers")
        inputs, requests, sentences, answered = map(store.read_table, paths, schemas)
        log_probability = np.empty(len(requests))
        log_probability[requests["request"].to_numpy()] = answers.by_request(answered, inputs, requests)
        scores = quantities.gather(log_probability, sentences)
        append(scores)
        n_sentences += len(scores)
        n_refused += scores["value"].null_count
log.info("%d sentences gathered, %d of them refused.", n_sentences, n_refused)
