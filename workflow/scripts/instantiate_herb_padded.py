"""Lay out the sentences of one shard's regions in the batches that the released code pads (rule of this name)."""

from herbarium.core import store
from herbarium.core.console import log, tracked
from herbarium.core.step import begin
from herbarium.metrics.herb import stimuli
from herbarium.scoring.sentences import shard_of

NAMES_A_BLOCK = 200  # a block holds whole batches

made = begin(snakemake)
wordings = {name: [tuple(frame) for frame in frames] for name, frames in snakemake.params.wordings.items()}
regions = store.read_frame(snakemake.input.regions, "regions")
names = regions.loc[regions["parent"].notna(), "name"].unique().tolist()
names = [name for name in names if shard_of(name, snakemake.params.n_shards) == int(snakemake.wildcards.shard)]
n_sentences = 0
made |= {"slots": stimuli.SLOTS, "quantities": [stimuli.PADDED_QUANTITY]}
with store.table_writer(snakemake.output[0], stimuli.PADDED_STIMULI, made) as append:
    blocks = range(0, len(names), NAMES_A_BLOCK)
    for start in tracked(blocks, len(blocks), "blocks", "Instantiating"):
        sentences = stimuli.instantiate_padded(wordings, names[start : start + NAMES_A_BLOCK])
        append(sentences)
        n_sentences += len(sentences)
log.info("%d sentences on %d region names.", n_sentences, len(names))
