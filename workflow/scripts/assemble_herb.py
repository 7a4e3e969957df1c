"""Lay f(S) out by region and description, wording by wording (rule assemble_herb)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.herb import likelihoods, stimuli

made = begin(snakemake)
given = snakemake.input
wordings = {name: [tuple(frame) for frame in frames] for name, frames in snakemake.params.wordings.items()}
n_shards = len(given.probes) // len(given.scores)  # the shards of a probe stand together, in the order of the scores
columns = ["sentence_id", "frame", "region_name"]


def shards(number, probe, columns):
    for path in given.probes[number * n_shards : (number + 1) * n_shards]:
        yield store.read_frame(path, f"{probe}_probe", columns)


def of_wording(wording):
    """The shards of the padded probe without other wordings."""
    for shard in shards(1, "herb_padded", [*columns, "wording"]):
        yield shard[shard["wording"] == wording]


scores = store.read_frame(given.scores[0], "scores", ["sentence_id", "value", "note"])
values = stimuli.Values(shards(0, "herb", columns), scores)
bare = given.probes[stimuli.shard_of(stimuli.frame_text(stimuli.BARE_NAME), n_shards)]
partly_known = likelihoods.partly_known(store.read_frame(bare, "herb_probe", columns), scores)
padded = {}
if snakemake.params.padded:
    scores = store.read_frame(given.scores[1], "scores", ["sentence_id", "value"])
    padded = {wording: stimuli.Values(of_wording(wording), scores) for wording in snakemake.params.padded}
regions, names = store.read_frame(given.regions, "regions"), store.read_frame(given.names, "names")
with store.table_writer(snakemake.output[0], likelihoods.LIKELIHOODS, made) as append:
    for table in likelihoods.assemble(regions, names, wordings, values, padded, partly_known):
        append(table)
        log.info("%s: %d regions.", table["wording"][0], len(table))
