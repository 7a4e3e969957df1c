"""Effects of countries by continent, for the mixed model of groups (rule group_downstream)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.downstream import groups
from herbarium.scoring import predictions
from herbarium.statistics.grouped import GROUPED

made = begin(snakemake)
task, given = snakemake.wildcards.task, snakemake.input
examples = store.read_frame(given.examples, "task_examples")
prefixes = store.read_frame(given.prefixes, "task_prefixes")
rows = groups.grouped(
    predictions.gather(given.predictions, snakemake.params.shards, len(prefixes)).log_odds,
    examples.loc[examples["split"] == "test", "label"].to_numpy(),
    prefixes,
    store.read_frame(given.regions, "regions"),
    task,
    snakemake.params.seed,
)
store.write_table(snakemake.output[0], GROUPED, rows, made)
log.info("%s, %s: %d effects.", task, snakemake.wildcards.model, len(rows))
