"""Lay out the sentences of one shard's regions in the batches that the released code pads (rule of this name)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log, tracked
from herbarium.core.step import begin
from herbarium.metrics.herb import stimuli
from herbarium.regions import levels
from herbarium.scoring.sentences import shard_of

NAMES_A_BLOCK = 200  # a block holds whole batches

made = begin(snakemake)
params = snakemake.params
wordings = {name: [tuple(frame) for frame in frames] for name, frames in params.wordings.items()}
everywhere = {name: frames for name, frames in wordings.items() if name not in params.without_cities}
without_cities = {name: frames for name, frames in wordings.items() if name in params.without_cities}
regions = store.read_frame(snakemake.input.regions, "regions")
countries = set(levels.without_cities(regions)["name"])
names = regions.loc[regions["parent"].notna(), "name"].unique().tolist()
names = [name for name in names if shard_of(name, params.n_shards) == int(snakemake.wildcards.shard)]
n_sentences = 0
made |= {"slots": stimuli.SLOTS, "names": stimuli.NAMES, "quantities": stimuli.quantities(stimuli.PADDED_SET)}
with store.table_writer(snakemake.output[0], stimuli.PADDED_STIMULI, made) as append:
    blocks = range(0, len(names), NAMES_A_BLOCK)
    for start in tracked(blocks, len(blocks), "blocks", "Instantiating"):
        block = names[start : start + NAMES_A_BLOCK]
        of_countries = [name for name in block if name in countries]
        sentences = [
            stimuli.instantiate_padded(*pair) for pair in ((everywhere, block), (without_cities, of_countries))
        ]
        sentences = pd.concat(sentences, ignore_index=True)
        append(sentences)
        n_sentences += len(sentences)
log.info("%d sentences on %d region names.", n_sentences, len(names))
