"""Read the texts of a corpus and divide them (rule read_corpus)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.resources import with_unseen
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
    read = sources.texts(entry, tables, f"corpora.{name}")
    divided = corpora.divided(read, name, entry["max_texts"], seed)
made["noted"] = with_unseen(divided["text"])
store.write_table(snakemake.output[0], corpora.CORPUS, divided, made)
counts = divided["split"].value_counts()
log.info("%s: %s.", name, "; ".join(f"{split} {counts[split]}" for split in corpora.SHARES))
for what, n in made["noted"].items():
    log.warning("%s: %d texts %s.", name, n, what)
