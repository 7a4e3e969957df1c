"""List the sentences to compare, set by set (rule instantiate_sentence_sets)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.metrics.sentence_sets import formats, stimuli

made = begin(snakemake)
given, output, params = snakemake.input, snakemake.output, snakemake.params
sides, quantity = params.sides, params.quantity
repairs = next(iter(given.repairs), None)
faults = formats.faults(params.format, given.lists, repairs, params.reading)
store.write_table(output.faults, formats.FAULTS, faults, made)
table, note = formats.read(params.format, given.lists, repairs, params.reading), None
if params.sample:
    limit, seed = params.sample
    table, note = stimuli.sampled(table, limit, stream(seed, "sentence_sets", snakemake.wildcards.name, "sample"))
sentences = stimuli.instantiate(table, sides, quantity)
roles = stimuli.slots(sentences)
made |= {"quantities": stimuli.SCORES.get(quantity, {}), "slots": list(roles), "roles": roles, "sample": note}
store.write_table(output.stimuli, stimuli.stimuli_of(sentences), sentences, made)
log.info("%d sets of %d sentences.", len(sentences) // len(sides), len(sides))
if len(faults):
    log.warning(
        "%d lines of the files have a fault or are left out, %d of them with all of their set.",
        len(faults),
        faults["is_left_out"].sum(),
    )
