"""Count how often a model prefers the more stereotypical sentence of CrowS-Pairs (rule measure_crows_pairs)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.crows_pairs import score, stimuli
from herbarium.statistics.items import ITEMS
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
given, output = snakemake.input, snakemake.output
observations = stimuli.observe(
    store.read_frame(given.stimuli, "crows_pairs_stimuli"), store.read_frame(given.scores, "scores")
)
model, params = snakemake.wildcards.model, snakemake.params
numbers = score.score(model, observations, params.level, params.seed)
store.write_table(output.observations, stimuli.OBSERVATIONS, observations, made)
store.write_table(output.numbers, TIDY, numbers, made)
store.write_table(output.of_items, ITEMS, score.of_items(model, observations), made)
log.info("%d sentences, %d of them refused.", len(observations), observations["value"].isna().sum())
