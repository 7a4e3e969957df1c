"""Read the texts of a corpus and divide them (rule read_corpus)."""

import pandas as pd

from herbarium.core import resources, store
from herbarium.core.console import log
from herbarium.core.errors import HerbariumError
from herbarium.core.step import begin
from herbarium.models import sources
from herbarium.training import corpora

made = begin(snakemake)
entry, name = snakemake.params.entry, snakemake.wildcards.corpus
if entry["planted"]:
    tables = [store.read_frame(path, "planted_text") for path in snakemake.input]
    column, where = "text", "planted text"
else:
    by_split, source = sources.read_as_before(entry, snakemake.output[0], corpora.CORPUS.name)
    made |= source
    wanted = entry["splits"] or by_split
    if lacking := set(wanted) - set(by_split):
        raise HerbariumError(f"corpora.{name}.splits: there is no '{min(lacking)}'; there are {', '.join(by_split)}.")
    tables, column, where = [by_split[split] for split in wanted], entry["text"], resources.place(entry)
table = pd.concat(tables)
if column not in table:
    raise HerbariumError(f"{where}: it has no column '{column}'; it has {', '.join(map(str, table))}.")
divided = corpora.divided(table[column], name, entry["max_texts"], snakemake.params.seed)
store.write_table(snakemake.output[0], corpora.CORPUS, divided, made)
counts = divided["split"].value_counts()
log.info("%s: %s.", name, "; ".join(f"{split} {counts[split]}" for split in corpora.SHARES))
