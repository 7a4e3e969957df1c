"""Combine the answers of all shards into one value per sentence (rule gather_scores)."""

import numpy as np

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.errors import HerbariumError
from herbarium.core.step import begin
from herbarium.scoring import answers, quantities, refusals

made = begin(snakemake)
given, wildcards = snakemake.input, snakemake.wildcards


def pieces():
    """The sentences of all shards piece by piece, each with the answers of its shard by request."""
    for of_shard in zip(given.inputs, given.requests, given.sentences, given.answers, strict=True):
        inputs, requests, sentences, answered = of_shard
        values = answers.by_request(
            store.read_table(answered, "answers"),
            store.read_table(inputs, "plan_inputs", ["input", "digest"]),
            store.read_pieces([requests], "plan_requests"),
        )
        if np.isnan(values).any():
            raise HerbariumError(f"{answered} lacks answers to its plan. {store.REMEDY}")
        by_request = np.empty_like(values)
        by_request[store.read_table(requests, "plan_requests", ["request"])["request"].to_numpy()] = values
        del values
        for piece in store.read_pieces([sentences], "plan_sentences"):
            yield by_request, piece


headers = [store.read_header(path, "answers") for path in given.answers]
made |= {"model": headers[0]["model"], "device": answers.devices(headers, f"{wildcards.model} {wildcards.stimuli}")}
n_sentences, n_refused = quantities.write_scores(snakemake.output.scores, pieces(), made)
refusals.write(snakemake.output.refusals, snakemake.output.scores, wildcards.model, wildcards.stimuli, made)
log.info("%d sentences gathered, %d of them refused.", n_sentences, n_refused)
