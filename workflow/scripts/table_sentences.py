"""List some sentences of every set, with the scores of all models (rule table_sentences)."""

import itertools

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.study import sentences

made = begin(snakemake)
files, n_shards = iter(snakemake.input.stimuli), snakemake.params.shards
stimuli = {name: list(itertools.islice(files, n)) for name, n in n_shards.items()}
scores = {tuple(scored): path for scored, path in zip(snakemake.params.scored, snakemake.input.scores, strict=True)}
store.write_csv(snakemake.output.sentences, sentences.examples(stimuli, scores), made)
