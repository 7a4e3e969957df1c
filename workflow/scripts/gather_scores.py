"""Combine the answers of all shards into one value per sentence (rule gather_scores)."""

import numpy as np

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.scoring import answers, quantities, refusals

SCHEMAS = ("plan_inputs", "plan_requests", "plan_sentences", "answers")

made = begin(snakemake)
given, wildcards = snakemake.input, snakemake.wildcards


def plan(*paths):
    """The answers of a shard by request, and its sentences."""
    inputs, requests, sentences, answered = map(store.read_table, paths, SCHEMAS)
    by_request = np.empty(len(requests))
    by_request[requests["request"].to_numpy()] = answers.by_request(answered, inputs, requests)
    return by_request, sentences


headers = [store.read_header(path, "answers") for path in given.answers]
made |= {"model": headers[0]["model"], "device": answers.devices(headers, f"{wildcards.model} {wildcards.stimuli}")}
plans = map(plan, given.inputs, given.requests, given.sentences, given.answers)
n_sentences, n_refused = quantities.write_scores(snakemake.output.scores, plans, made)
scores = store.read_frame(snakemake.output.scores, "scores", ["sentence_id", "value", "note"])
counts = refusals.count(scores).assign(model=wildcards.model, stimuli=wildcards.stimuli)
store.write_table(snakemake.output.refusals, refusals.REFUSALS, counts, made)
log.info("%d sentences gathered, %d of them refused.", n_sentences, n_refused)
