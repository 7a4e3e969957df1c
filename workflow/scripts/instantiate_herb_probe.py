"""Put every region into the frames of one shard (rule instantiate_herb_probe)."""

from herbarium.core import store
from herbarium.core.console import log, tracked
from herbarium.core.step import begin
from herbarium.metrics.herb import stimuli

SENTENCES_A_BLOCK = 50_000

made = begin(snakemake)
params = snakemake.params
frames, published = ([tuple(frame) for frame in given] for given in (params.frames, params.published))
regions = store.read_frame(snakemake.input.regions, "regions")
names = regions.loc[regions["parent"].notna(), "name"].unique().tolist()  # no equation scores the root itself
others = sorted(set(store.read_frame(snakemake.input.names, "names")["name"]) - set(names))
blocks = []
for of_names, some_names in ((frames, names), (published, others)):
    if of_names:  # a small study has more shards than frames
        n_names = max(1, SENTENCES_A_BLOCK // len(of_names))
        blocks += [(of_names, some_names[start : start + n_names]) for start in range(0, len(some_names), n_names)]
n_sentences = 0
made |= {"slots": stimuli.SLOTS, "quantities": [stimuli.QUANTITY]}
with store.table_writer(snakemake.output[0], stimuli.PROBE, made) as append:
    for of_block, block in tracked(blocks, len(blocks), "blocks", "Instantiating"):
        sentences = stimuli.instantiate(of_block, block)
        append(sentences)
        n_sentences += len(sentences)
log.info("%d sentences: %d frames, %d region names.", n_sentences, len(frames), len(names))
