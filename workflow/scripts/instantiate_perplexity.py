"""Take held-out texts of a corpus, which no model has learned from (rule instantiate_perplexity)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.perplexity import stimuli
from herbarium.training.corpora import CORPUS

made = begin(snakemake)
params = snakemake.params
sentences = stimuli.instantiate(store.read_frame(snakemake.input[0], CORPUS.name), params.max_texts, params.max_words)
made |= {"quantities": stimuli.QUANTITIES, "slots": []}
store.write_table(snakemake.output[0], stimuli.STIMULI, sentences, made)
log.info("%d texts.", len(sentences))
