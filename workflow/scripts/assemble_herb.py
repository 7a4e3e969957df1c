"""Lay f(S) out by region and description, wording by wording (rule assemble_herb)."""

import pandas as pd

from herbarium import store
from herbarium.console import log, start_log
from herbarium.probes import herb, likelihoods

start_log(snakemake.log[0])
given = snakemake.input
wordings = {name: [tuple(frame) for frame in frames] for name, frames in snakemake.params.wordings.items()}


def read(number, probe, columns):
    """The probe and its scores. The shards of a probe stand together, in the order of the scores."""
    n_shards = len(given.probes) // len(given.scores)
    shards = given.probes[number * n_shards : (number + 1) * n_shards]
    sentences = [store.read_frame(path, f"{probe}_probe", columns) for path in shards]
    scores = store.read_frame(given.scores[number], "scores", ["sentence_id", "value", "note"])
    return pd.concat(sentences, ignore_index=True), scores


columns = ["sentence_id", "frame", "region_name"]
probe, scores = read(0, "herb", columns)
values, partly_known = herb.Values(probe, scores), likelihoods.partly_known(probe, scores)
padded = {}
if snakemake.params.padded:
    probe, scores = read(1, "herb_padded", [*columns, "wording"])
    padded = {wording: herb.Values(sentences, scores) for wording, sentences in probe.groupby("wording")}
regions, names = store.read_frame(given.regions, "regions"), store.read_frame(given.names, "names")
provenance = {"code": snakemake.params.code, "model": snakemake.wildcards.model}
with store.table_writer(snakemake.output[0], likelihoods.LIKELIHOODS, provenance) as append:
    for table in likelihoods.assemble(regions, names, wordings, values, padded, partly_known):
        append(table)
        log.info("%s: %d regions.", table["wording"][0], len(table))
