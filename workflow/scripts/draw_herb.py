"""Plot the figures of HERB, each with the table that it shows (rule draw_herb)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.metrics.herb import design
from herbarium.metrics.herb.figures import continents, heatmap, likelihoods, map, ranking, space, toxic, words
from herbarium.regions import levels

made = begin(snakemake)
style.order(snakemake.params.order)
given, output, params = snakemake.input, snakemake.output, snakemake.params
numbers, regions = store.read_frames(given.numbers, "tidy"), store.read_frame(given.regions, "regions")
models = [store.read_record(path) for path in given.models]
shapes = store.read_json(given.countries)
f = likelihoods.load(given.likelihoods, design.topics(store.read_record(given.design)), models)

table = continents.table(numbers, regions, models)
style.keep(output.continents, table, printed(continents.panels(table), continents.EMPTY), made)
table = map.table(f, regions, models, params.description, shapes)
style.keep(output.map, table, map.figure(table, shapes), made)
table = ranking.table(f, regions, models, params.description)
style.keep(output.ranking, table, printed(ranking.panels(table), ranking.EMPTY), made)
table = heatmap.table(f, levels.continents(regions), models)
style.keep(output.heatmap, table, heatmap.figure(table), made)
store.write_csv(output.heatmap_countries, heatmap.table(f, levels.countries(regions), models), made)
table = words.table(f, regions, models)
style.keep(output.words, table, printed(words.panels(table), words.EMPTY), made)
if given.plane:
    table = store.read_frame(given.plane, "herb_plane")
    style.keep(output.space, table, space.figure(table, numbers, shapes), made)
if params.trained:
    table = toxic.table(numbers, regions, [model for model in models if model["name"] in params.trained])
    style.keep(output.toxic, table, printed(toxic.panels(table), toxic.EMPTY), made)
