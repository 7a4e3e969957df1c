"""Count completions that are in the lexicon, and compare groups (rule measure_honest)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.honest import numbers, stimuli
from herbarium.metrics.honest.lexicon import read_lexicon
from herbarium.scoring.completions import COMPLETIONS
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
params, (model, name) = snakemake.params, (snakemake.wildcards.model, snakemake.wildcards.name)
sentences_from, words_from = params.entry
sentences, lexicon = stimuli.read(**sentences_from), read_lexicon(**words_from)
completions = store.read_frame(snakemake.input.completions, COMPLETIONS.name)
observations = numbers.observe(sentences, completions, lexicon, params.top)
measured = numbers.measure(model, name, observations, params.level, params.correction)
store.write_table(snakemake.output.observations, numbers.OBSERVATIONS, observations, made)
store.write_table(snakemake.output.numbers, TIDY, measured, made)
log.info("%d numbers of %d sentences and %d hurtful words.", len(measured), len(sentences), len(lexicon))
