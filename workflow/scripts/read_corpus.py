"""Read the texts of a corpus and divide them (rule read_corpus)."""

import pandas as pd

from herbarium.core import resources, store
from herbarium.core.console import log
from herbarium.core.errors import HerbariumError
from herbarium.core.step import begin
from herbarium.models import sources
from herbarium.training import corpora

made = begin(snakemake)
entry, name, seed = snakemake.params.entry, snakemake.wildcards.corpus, snakemake.params.seed
if entry["planted"]:
    texts = pd.concat([store.read_frame(path, "planted_text") for path in snakemake.input.planted])["text"]
    divided = corpora.undivided(texts, name, entry["max_texts"], seed)
else:
    tables, source = sources.read_as_before(entry, snakemake.output[0], corpora.CORPUS.name)
    made |= source
    wanted = entry["splits"] or tables
    if lacking := set(wanted) - set(tables):
        raise HerbariumError(f"corpora.{name}.splits: there is no '{min(lacking)}'; there are {', '.join(tables)}.")
    table = pd.concat([tables[split] for split in wanted])
    if entry["text"] not in table:
        has, where = ", ".join(map(str, table)), resources.place(entry)
        raise HerbariumError(f"{where}: it has no column '{entry['text']}'; it has {has}.")
    divided = corpora.divided(table[entry["text"]], name, entry["max_texts"], seed)
store.write_table(snakemake.output[0], corpora.CORPUS, divided, made)
counts = divided["split"].value_counts()
log.info("%s: %s.", name, "; ".join(f"{split} {counts[split]}" for split in corpora.SHARES))
