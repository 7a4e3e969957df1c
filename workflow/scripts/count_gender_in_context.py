"""Count gendered pronouns in corpora, and occupations that occur with them (rule count_gender_in_context)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.gender_in_context import counts
from herbarium.training.corpora import CORPUS

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
occupations = store.read_record(given.occupations)["stereotypes"]
tables = []
for name, path in zip(params.corpora, given.corpora, strict=True):
    texts = store.read_frame(path, CORPUS.name, ["text"])["text"]
    tables.append(counts.count(name, texts, occupations))
    log.info("%s: %d texts.", name, len(texts))
store.write_csv(snakemake.output.counts, pd.concat(tables), made)
