"""Measure what naming a region changes in a task (rule measure_downstream)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.downstream import numbers as downstream_table
from herbarium.metrics.downstream import own_groups, planted_slope
from herbarium.regions import leans
from herbarium.scoring import predictions
from herbarium.statistics import repeats, tidy
from herbarium.statistics.items import ITEMS

made = begin(snakemake)
task, model = snakemake.wildcards.task, snakemake.wildcards.model
given, params = snakemake.input, snakemake.params
examples = store.read_frame(given.examples, "task_examples")
test = examples[examples["split"] == "test"]
label, alike = test["label"].to_numpy(), repeats.numbered(test["text"])
prefixes = store.read_frame(given.prefixes, "task_prefixes")
predicted = predictions.gather(given.predictions, params.shards, len(prefixes))
numbers = downstream_table.measure(
    model,
    task,
    predicted.log_odds,
    label,
    prefixes,
    predicted.truncated,
    params.bootstrap,
    params.tests,
    params.seed,
    alike,
)
if params.groups:
    original = predicted.log_odds[:, 0]
    of_groups = own_groups.measure(
        *(model, task, original, label, test["groups"], params.groups),
        *(params.bootstrap["level"], params.tests["correction"], alike),
    )
    numbers = pd.concat([numbers, of_groups], ignore_index=True)
if params.planted is not None:
    lean = leans.country_leans(store.read_frame(given.regions, "regions"), params.seed)
    planted = planted_slope.measure(
        *(model, task, predicted.log_odds, prefixes, lean, params.planted, params.bootstrap, params.seed)
    )
    numbers = pd.concat([numbers, planted], ignore_index=True)
store.write_table(snakemake.output.numbers, tidy.TIDY, numbers, made)
items = downstream_table.items(model, task, predicted.log_odds, prefixes)
store.write_table(snakemake.output.by_word, ITEMS, items, made)
log.info("%s, %s: %d numbers.", task, model, len(numbers))
