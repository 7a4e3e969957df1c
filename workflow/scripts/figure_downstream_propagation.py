"""What models hold of countries against what these change in tasks (rule figure_downstream_propagation)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.downstream.figures import shared
from herbarium.metrics.propagation.figures import scatter

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
countries = store.read_frames(given.countries, "propagation_countries")
numbers, correlations = (store.read_frames(paths, "tidy") for paths in (given.numbers, given.correlations))
where = shared.places(params.probed, params.planted)
table = scatter.table(countries, numbers, store.read_frame(given.regions, "regions"), where)
store.write_csv(snakemake.output.csv, table, made)
figure = scatter.figure(table, correlations, params.level)
style.save(figure, snakemake.output.pictures, made)
