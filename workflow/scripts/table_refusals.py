"""How many sentences were refused, and why (rule table_refusals)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.study import refusals

made = begin(snakemake)
tables = [pd.DataFrame(columns=refusals.COLUMNS)]
for scored, path in zip(snakemake.params.scored, snakemake.input.scores, strict=True):
    model, _, probe = scored.partition("/")
    scores = store.read_frame(path, "scores", ["sentence_id", "value", "note"])
    tables.append(refusals.count(scores).assign(model=model, probe=probe))
table = pd.concat(tables, ignore_index=True)[refusals.COLUMNS]
store.write_csv(snakemake.output.refusals, table, made)
