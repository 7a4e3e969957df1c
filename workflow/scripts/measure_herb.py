"""HERB of every region, with intervals (rule measure_herb)."""

from herbarium import resources, store
from herbarium.console import log, start_log
from herbarium.metrics import herb_table, tidy

start_log(snakemake.log[0])
topics = {
    topic: resources.read_words(path)
    for topic, path in zip(snakemake.params.topics, snakemake.input.descriptions, strict=True)
}
model = snakemake.wildcards.model
numbers = herb_table.measure(
    model,
    regions=store.read_frame(snakemake.input.regions, "regions"),
    topics=topics,
    probe=store.read_frame(snakemake.input.probe, "herb_probe", ["sentence_id", "region_name", "description"]),
    scores=store.read_frame(snakemake.input.scores, "scores", ["sentence_id", "quantity", "value", "note"]),
    bootstrap=snakemake.params.bootstrap,
    seed=snakemake.params.seed,
    threads=snakemake.threads,
)
store.write_table(snakemake.output[0], tidy.TIDY, numbers, {"code": snakemake.params.code, "model": model})
log.info("%d numbers; %d regions could not be measured.", len(numbers), numbers["estimate"].isna().sum())
