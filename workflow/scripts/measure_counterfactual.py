"""Measure how much swapping gendered words changes scores (rule measure_counterfactual)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.counterfactual import score
from herbarium.metrics.counterfactual.pairs import PAIRS
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
given, wildcards = snakemake.input, snakemake.wildcards
pairs = store.read_frame(given.pairs, PAIRS.name)
scores, swapped = (store.read_frame(path, "scores") for path in (given.scores, given.swapped))
changes = score.absolute_changes(pairs, scores, swapped)
n_unsure = int((~pairs["is_sure"]).sum())
numbers = score.measure(wildcards.model, wildcards.stimuli, changes, n_unsure, snakemake.params.level)
store.write_table(snakemake.output.changes, score.CHANGED, changes, made)
store.write_table(snakemake.output.numbers, TIDY, numbers, made)
if pairs.empty:
    log.warning("%s: no sentence has a word to swap.", wildcards.stimuli)
log.info("%d numbers of %d pairs.", len(numbers), len(pairs))
