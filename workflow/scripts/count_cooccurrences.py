"""Count the words of a corpus, and how often they co-occur (rule count_cooccurrences)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.training.cooccurrence import COOCCURRENCES, VOCABULARY, cooccurrences, encoded
from herbarium.training.corpora import CORPUS

made = begin(snakemake)
corpus, window, min_count = (snakemake.wildcards[key] for key in ("corpus", "window", "min_count"))
texts = store.read_frame(snakemake.input.corpus, CORPUS.name, ["split", "text"])
known = encoded(texts["text"][texts["split"] == "train"], int(min_count))
records = cooccurrences(known, int(window))
vocabulary = pd.DataFrame({"word": known.words, "count": known.counts})
store.write_table(snakemake.output.vocabulary, VOCABULARY, vocabulary, made)
store.write_table(snakemake.output.records, COOCCURRENCES, pd.DataFrame(records._asdict(), copy=False), made)
log.info("%s: %d words of %d in all; %d co-occurrences.", corpus, len(known.words), known.counts.sum(), len(records.x))
