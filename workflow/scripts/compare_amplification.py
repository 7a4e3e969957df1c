"""Compare bias amplification and costs in a task between two models (rule compare_amplification)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.decisions import corpus
from herbarium.metrics.amplification.changes import changes
from herbarium.scoring import predictions
from herbarium.statistics.changes import CHANGES

made = begin(snakemake)
given, params, task = snakemake.input, snakemake.params, snakemake.wildcards.task
prefixes = store.read_frame(given.prefixes, "task_prefixes")
n_files = len(given.predictions) // len(params.models)
predicted = {
    model: predictions.gather(given.predictions[place * n_files :][:n_files], params.shards, len(prefixes)).log_odds
    for place, model in enumerate(params.models)
}
change_rows = changes(
    task,
    params.compared,
    store.read_frames(given.numbers, "tidy"),
    predicted,
    corpus.corpus(
        store.read_frame(given.examples, "task_examples"),
        prefixes,
        store.read_frame(given.regions, "regions"),
        **params.groups,
        n_sets=n_files // params.shards,
        where=f"amplification, task {task}",
    ),
)
store.write_table(snakemake.output[0], CHANGES, change_rows, made)
log.info("%d changes.", len(change_rows))
