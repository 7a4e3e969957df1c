"""Measure whether groups are further apart in predictions than in training (rule measure_amplification)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.decisions import corpus
from herbarium.metrics.amplification import numbers
from herbarium.scoring import predictions
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
given, output, params = snakemake.input, snakemake.output, snakemake.params
task, model = snakemake.wildcards.task, snakemake.wildcards.model
prefixes = store.read_frame(given.prefixes, "task_prefixes")
predicted = predictions.gather(given.predictions, params.shards, len(prefixes)).log_odds
measured = numbers.measure(
    model,
    task,
    corpus.corpus(
        store.read_frame(given.examples, "task_examples"),
        prefixes,
        store.read_frame(given.regions, "regions"),
        **params.groups,
        n_sets=len(predicted),
        where=f"amplification, task {task}",
    ),
    predicted,
    numbers.Settings(**params.settings),
    params.seed,
    params.is_decided,
)
store.write_table(output.numbers, TIDY, measured.numbers, made)
store.write_table(output.by_method, numbers.BY_METHOD, measured.by_method, made)
store.write_table(output.iterations, numbers.ITERATIONS, measured.iterations, made)
log.info("%s, %s: %d numbers.", task, model, len(measured.numbers))
