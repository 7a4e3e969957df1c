"""Compare a task before and after a change of a model (rule compare_downstream)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.downstream.changes import changes
from herbarium.scoring import predictions
from herbarium.statistics import repeats
from herbarium.statistics.changes import CHANGES

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
examples = store.read_frame(given.examples, "task_examples")
prefixes = store.read_frame(given.prefixes, "task_prefixes")
n_files = len(given.predictions) // len(params.models)
log_odds = {
    model: predictions.gather(given.predictions[place * n_files :][:n_files], params.shards, len(prefixes)).log_odds
    for place, model in enumerate(params.models)
}
test, numbers = examples[examples["split"] == "test"], store.read_frames(given.numbers, "tidy")
alike = repeats.numbered(test["text"])
change_rows = changes(
    snakemake.wildcards.task, params.compared, numbers, log_odds, test["label"].to_numpy(), prefixes, alike
)
store.write_table(snakemake.output[0], CHANGES, change_rows, made)
log.info("%d changes.", len(change_rows))
