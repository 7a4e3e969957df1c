"""Find clusters of texts in which two groups are treated unequally (rule measure_local_group_bias)."""

import numpy as np
import pandas as pd

from herbarium.core import store
from herbarium.core.console import log, tracked
from herbarium.core.step import begin
from herbarium.metrics.local_group_bias import numbers as local
from herbarium.scoring import predictions
from herbarium.statistics import tidy

made = begin(snakemake)
task, model = snakemake.wildcards.task, snakemake.wildcards.model
given, params = snakemake.input, snakemake.params
examples = store.read_frame(given.examples, "task_examples")
examples = examples[examples["split"] == "test"]
prefixes = store.read_frame(given.prefixes, "task_prefixes")
names = store.read_frame(given.regions, "regions")["name"]
(log_odds,) = predictions.gather(given.predictions, len(given.predictions), len(prefixes)).log_odds
feature_table = store.read_frame(given.features, "features")
features, settings = np.stack(feature_table.pop("feature")).astype(float), local.Settings(**params.settings)
comparisons = local.comparisons(store.read_frame(given.instances, "local_instances"))
measured = [
    local.measure(
        model,
        task,
        comparison,
        local.observed(comparison, examples, log_odds),
        local.features_of(comparison, feature_table, features),
        settings,
        params.seed,
        names,
    )
    for comparison in tracked(comparisons, len(comparisons), "comparisons", f"{task} {model}")
]
numbers = local.adjusted(pd.concat([result.numbers for result in measured], ignore_index=True))
clusters = pd.concat([result.clusters for result in measured], ignore_index=True)
store.write_table(snakemake.output.numbers, tidy.TIDY, numbers, made)
store.write_table(snakemake.output.clusters, local.CLUSTERS, clusters, made)
log.info("%s, %s: %d comparisons.", task, model, len(measured))
