"""Plot the contrasts of sentence sets (rule draw_sentence_sets)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.metrics.sentence_sets import beside, each, numbers
from herbarium.metrics.sentence_sets.figures import difference, forest

made = begin(snakemake)
style.order(snakemake.params.order)
models = style.by_strength(store.read_record(path) for path in snakemake.input.models)
given, params, output = snakemake.input, snakemake.params, snakemake.output
entries = params.entries
tidy = store.read_frames(given.numbers, "tidy")
rows = numbers.with_contrasts(tidy, entries, models)
table = forest.table(rows)
style.keep(output.forest, table, printed(forest.panels(table), forest.EMPTY), made)
if output.get("each"):  # if a set has such a column
    known = beside.read_all(params.beside, given.beside, entries)
    of_each = each.with_known(numbers.with_contrasts(tidy, entries, models, each=True), entries, known)
    table = forest.table_of_each(of_each)
    style.keep(output.each, table, printed(forest.panels(table), forest.EMPTY), made)
if output.get("difference"):
    observed = [store.read_frame(path, "sentence_sets_observations") for path in given.observations]
    by_place = {tuple(place): frame for place, frame in zip(params.measured, observed, strict=True)}
    table = difference.table(rows, by_place, entries, params.seed)
    style.keep(output.difference, table, printed(difference.panels(table), difference.EMPTY), made)
