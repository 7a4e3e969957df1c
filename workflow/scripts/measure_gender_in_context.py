"""Measure gender in the vectors of words in context (rule measure_gender_in_context)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.gender_in_context import items, names, numbers, stimuli
from herbarium.statistics.items import ITEMS
from herbarium.statistics.tidy import TIDY
from herbarium.vectors import tables

made = begin(snakemake)
given, output, params = snakemake.input, snakemake.output, snakemake.params
source, name = snakemake.wildcards.source, snakemake.wildcards.name
settings = numbers.Settings(**params.settings)
design, vectors = store.read_frame(given.design, stimuli.DESIGN.name), tables.read(given.vectors)
is_causal = store.read_record(given.model)["kind"] == numbers.CAUSAL
pairs, note = numbers.pairs(design, vectors, is_causal, settings.max_pairs, settings.seed)
measured = numbers.measure(source, name, pairs, note, vectors.layers, params.sides, settings)
store.write_table(output.numbers, TIDY, measured.numbers, made)
observed = (
    (names.CURVES, measured.curves),
    (names.BY_NU, measured.by_nu),
    (names.PLACES, measured.places),
    (names.PRODUCTS, measured.products),
)
for schema, table in observed:
    store.write_table(output[schema.name.removeprefix("gender_in_context_")], schema, table, made)
of_items = items.of_items(source, name, measured.places, params.sides[0])
store.write_table(output.of_items, ITEMS, of_items, made)
log.info("%d numbers of %d layers.", len(measured.numbers), len(vectors.layers))
