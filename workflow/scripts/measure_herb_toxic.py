"""Measure HERB after each epoch of toxic training, with intervals (rule measure_herb_toxic)."""

from herbarium.core import store
from herbarium.core.console import log, tracked
from herbarium.core.step import begin
from herbarium.metrics.herb import design, likelihoods, stimuli
from herbarium.metrics.herb import toxic as herb_toxic
from herbarium.regions import levels
from herbarium.regions.hierarchy import other_names
from herbarium.statistics import tidy

made = begin(snakemake)
given, params, model = snakemake.input, snakemake.params, snakemake.wildcards.model
regions = store.read_frame(given.regions, "regions")
if params.without_cities:
    regions = levels.without_cities(regions)
designed = store.read_record(given.design)
published = design.wordings([designed])
columns = ["sentence_id", "frame", "region_name"]


def of_epoch(path):
    sentences = (store.read_frame(shard, "herb_stimuli", columns) for shard in given.stimuli)
    values = stimuli.Values(sentences, store.read_frame(path, "scores", ["sentence_id", "value", "n_tokens"]))
    (table,) = likelihoods.assemble(regions, other_names(regions, {}), published, values, {}, set())
    return table


numbers = herb_toxic.measure(
    model,
    regions,
    design.topics(designed),
    tracked(map(of_epoch, given.scores), len(given.scores), "epochs", f"HERB of {model}"),
    bootstrap=params.bootstrap,
    seed=params.seed,
    threads=snakemake.threads,
)
store.write_table(snakemake.output[0], tidy.TIDY, numbers, made)
log.info("%d numbers of %d epochs.", len(numbers), len(given.scores) - 1)
