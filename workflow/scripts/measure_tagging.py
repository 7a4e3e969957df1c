"""Measure how well the entities of a task are found (rule measure_tagging)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.tagging import score
from herbarium.metrics.tagging.sentences import PREDICTIONS, SENTENCES, TEST
from herbarium.statistics.repeats import numbered
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
given, (task, model) = snakemake.input, (snakemake.wildcards[key] for key in ("task", "model"))
sentences = store.read_frame(given.sentences, SENTENCES.name)
test = sentences[sentences["split"] == TEST]
true, alike = test["tags"].tolist(), numbered(test["tokens"].map(" ".join))
predictions = [store.read_frame(path, PREDICTIONS.name) for path in given.predictions]
n_untagged = int(predictions[0]["n_untagged"].sum())
numbers = score.measure(
    model, task, true, [table["tags"].tolist() for table in predictions], n_untagged, snakemake.params.level, alike
)
store.write_table(snakemake.output[0], TIDY, numbers, made)
log.info("%s, %s: %.3f.", model, task, numbers["estimate"].iloc[0])
