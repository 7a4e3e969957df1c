"""Fill the HERB template with every region and description (rule instantiate_herb_probe)."""

from herbarium import resources, store
from herbarium.console import log, start_log, tracked
from herbarium.probes import herb

NAMES_A_BLOCK = 500

start_log(snakemake.log[0])
template = resources.read_template(snakemake.input.template, herb.SLOTS)
descriptions = [word for path in snakemake.input.descriptions for word in resources.read_words(path)]
regions = store.read_frame(snakemake.input.regions, "regions")
names = regions.loc[regions["parent"].notna(), "name"].unique().tolist()  # no equation scores the root itself
n_sentences = 0
provenance = {"code": snakemake.params.code, "slots": sorted(herb.SLOTS), "quantities": [herb.QUANTITY]}
with store.table_writer(snakemake.output[0], herb.PROBE, provenance) as append:
    blocks = range(0, len(names), NAMES_A_BLOCK)
    for start in tracked(blocks, len(blocks), "blocks", "Instantiating"):
        sentences = herb.instantiate(template, names[start : start + NAMES_A_BLOCK], descriptions)
        append(sentences)
        n_sentences += len(sentences)
log.info("%d sentences on %d region names.", n_sentences, len(names))
