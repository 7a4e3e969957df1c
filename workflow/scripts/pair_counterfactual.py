"""Pair sentences with their gender-swapped versions (rule pair_counterfactual)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.counterfactual import pairs
from herbarium.training import neutralised, swapping

made = begin(snakemake)
given = snakemake.input
swaps, texts = swapping.read_pairs(given.words), []
for path in given.stimuli:
    header = store.read_header(path)
    for sentences in store.read_pieces([path]):
        names = neutralised.names(sentences, header)
        texts.append(pd.DataFrame({"sentence_id": sentences["sentence_id"], "text": sentences["text"], "names": names}))
table = pairs.pairs(pd.concat(texts, ignore_index=True), swaps)
store.write_table(snakemake.output[0], pairs.PAIRS, table, made)
log.info("%d pairs; %d have an uncertain swap.", len(table), (~table["is_sure"]).sum())
