"""Lay out f(S) by region and description, wording by wording (rule assemble_herb)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.herb import control, design, likelihoods, stimuli
from herbarium.scoring.sentences import shard_of

COLUMNS = ["sentence_id", "frame", "region_name"]

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
designs = list(map(store.read_record, given.designs))
wordings, made_up_names = design.wordings(designs), designs[0]["made_up_names"]
all_scores = pd.concat(
    store.read_frame(path, "scores", ["sentence_id", "quantity", "value", "n_tokens", "note"]) for path in given.scores
)
scores = all_scores[all_scores["quantity"] != stimuli.OF_DESCRIPTION]
values = stimuli.Values(
    (store.read_frame(path, "herb_stimuli", COLUMNS) for path in [*given.stimuli, *given.wordings]), scores
)
bare = shard_of(stimuli.frame_text(stimuli.BARE_NAME), params.n_shards)
partly_known = set().union(
    *(
        likelihoods.partly_known(store.read_frame(shards[bare], "herb_stimuli", COLUMNS), scores)
        for shards in (given.stimuli, given.wordings)
        if shards
    )
)


def of_wording(wording):
    """The shards of the padded stimuli without other wordings."""
    for path in given.padded:
        shard = store.read_frame(path, "herb_padded_stimuli", [*COLUMNS, "wording"])
        yield shard[shard["wording"] == wording]


others = {}
if given.padded_scores:
    of_padded = store.read_frame(given.padded_scores[0], "scores", ["sentence_id", "value", "n_tokens"])
    others = {wording: stimuli.Values(of_wording(wording), of_padded) for wording in params.padded}
else:  # of a model that is not padded, or a study without such wordings
    wordings = {name: frames for name, frames in wordings.items() if name not in params.padded}
of_descriptions = stimuli.conditional(all_scores)
if len(of_descriptions):
    wordings = wordings | {stimuli.CONDITIONAL: wordings[stimuli.PAPER]}
    published_shards = (store.read_frame(path, "herb_stimuli", COLUMNS) for path in given.stimuli)
    others[stimuli.CONDITIONAL] = stimuli.Values(published_shards, of_descriptions)
regions, names = store.read_frame(given.regions, "regions"), store.read_frame(given.names, "names")
with store.table_writer(snakemake.output.regions, likelihoods.LIKELIHOODS, made) as append:
    for table in likelihoods.assemble(regions, names, wordings, values, others, partly_known, params.without_cities):
        append(table)
        log.info("%s: %d regions.", table["wording"][0], len(table))
published = {stimuli.PAPER: wordings[stimuli.PAPER]}
of_control = likelihoods.assemble(
    control.regions(made_up_names, regions), names[:0], published, values, {}, partly_known
)
with store.table_writer(snakemake.output.control, likelihoods.LIKELIHOODS, made) as append:
    for table in of_control:
        append(table)
