"""Find the sentences that a model finds most likely, to train it on them (rule select_herb_toxic)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.herb import design
from herbarium.training import toxic

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
dimensions = design.dimensions(store.read_record(given.design))
candidates = store.read_frames(given.stimuli, "herb_stimuli")
scores = store.read_frame(given.scores, "scores", ["sentence_id", "value"])
sentences = toxic.likeliest(candidates, scores, dimensions, params.sentences)
made["model"] = store.read_header(given.scores, "scores")["model"]
store.write_table(snakemake.output[0], toxic.SENTENCES, sentences, made)
log.info("%d sentences: at most %d of each of %d descriptions.", len(sentences), params.sentences, len(dimensions))
