"""What models hold of countries against what these change in tasks (rule figure_downstream_propagation)."""

from herbarium import store
from herbarium.figures import downstream, downstream_propagation, style
from herbarium.step import begin

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
countries = store.read_frames(given.countries, "propagation_countries")
numbers, correlations = (store.read_frames(paths, "tidy") for paths in (given.numbers, given.correlations))
where = downstream.places(params.probed, params.planted)
table = downstream_propagation.table(countries, numbers, store.read_frame(given.regions, "regions"), where)
store.write_csv(snakemake.output.csv, table, made)
figure = downstream_propagation.figure(table, correlations, params.level)
style.save(figure, snakemake.output.pictures, made)
