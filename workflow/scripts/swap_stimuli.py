"""Swap gendered words in a shard of stimuli (rule swap_stimuli)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.training import neutralised, swapping

made = begin(snakemake)
given = snakemake.input
header = store.read_header(given.stimuli)
made |= {key: header[key] for key in ("quantities", "slots", "names", "roles", "around") if key in header}
swaps = swapping.read_pairs(given.words)
n_changed = n_swapped = n_ambiguous = 0
with store.table_writer(snakemake.output[0], store.read_schema(given.stimuli), made) as append:
    for sentences in store.read_pieces([given.stimuli]):
        swapped = neutralised.swap(sentences, header, swaps)
        if len(swapped.sentences):
            append(swapped.sentences)
        n_changed += swapped.changed
        n_swapped += swapped.n_swapped
        n_ambiguous += swapped.n_ambiguous
log.info(
    "%d of %d sentences have gendered words: %d were swapped, of which %d may be wrong.",
    n_changed, store.count_rows(given.stimuli), n_swapped, n_ambiguous,
)  # fmt: skip
