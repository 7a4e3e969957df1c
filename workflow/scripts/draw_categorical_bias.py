"""Plot the figures of Categorical Bias, each with the table that it shows (rule draw_categorical_bias)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.metrics.categorical_bias import stimuli
from herbarium.metrics.categorical_bias.figures import distributions, heatmap, lengths, scores, shared

made = begin(snakemake)
style.order(snakemake.params.order)
given, output, languages = snakemake.input, snakemake.output, snakemake.params.languages
numbers = store.read_frames(given.numbers, "tidy")
lists = {design["language"]: stimuli.lists_from(design) for design in map(store.read_record, given.designs)}
associations = shared.by_place(store.read_frames(given.associations, "associations"), lists, languages)
models = [store.read_record(path) for path in given.models]
table = scores.table(numbers, languages, models)
style.keep(output.scores, table, printed(scores.panels(table), scores.EMPTY), made)
table = distributions.table(associations, numbers, languages, models, snakemake.params.shown, snakemake.params.compared)
style.keep(output.distributions, table, printed(distributions.panels(table), distributions.EMPTY), made)
table = lengths.table(numbers, languages, models)
style.keep(output.lengths, table, printed(lengths.panels(table), lengths.EMPTY), made)
table = heatmap.table(associations, languages, models)
style.keep(output.heatmap, table, heatmap.figure(table), made)
