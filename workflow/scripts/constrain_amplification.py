"""Decide predictions again, so that groups keep their rates in training (rule constrain_amplification)."""

import numpy as np
import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.random import stream
from herbarium.core.step import begin, of_model
from herbarium.decisions import corpus, recipes
from herbarium.scoring import predictions

made = begin(snakemake)
given, output, params = snakemake.input, snakemake.output, snakemake.params
task, name, run = (snakemake.wildcards[key] for key in ("task", "model", "run"))
prefixes, settings = store.read_frame(given.prefixes, "task_prefixes"), params.by
(log_odds,) = predictions.gather(given.predictions, len(given.predictions), len(prefixes)).log_odds
decided = corpus.corpus(
    store.read_frame(given.examples, "task_examples"),
    prefixes,
    store.read_frame(given.regions, "regions"),
    settings["groups"],
    settings["least_texts"],
    len(params.runs),
    where=f"downstream.tasks.{task}.constrained.{name}",
)
number = params.runs.index(run)
problem = decided.problem(number, decided.log_odds(log_odds[None])[0], settings["margin"])
random = stream(params.seed, "constrained", task, name, run)
new = decided.put_back(log_odds, recipes.decide(settings["by"], problem, random).log_odds)
record = store.read_record(given.classifier) | {"name": name, "constrained": settings}
made["models"] |= of_model(record, f"{task}/{name}/{run}")
store.write_record(output.record, record, made)
for before, after in zip(given.predictions, output.predictions, strict=True):
    rows: pd.DataFrame = store.read_frame(before, "predictions")
    store.write_table(after, predictions.PREDICTIONS, rows.assign(log_odds=new[rows["prefix"], rows["example"]]), made)
changed = np.count_nonzero((new > 0) != (log_odds > 0))
log.info("%s %s: %d of %d decisions changed, in %d groups.", task, name, changed, new.size, len(decided.groups))
