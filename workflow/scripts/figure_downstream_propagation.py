"""What models hold of countries against what these change in tasks (rule figure_downstream_propagation)."""

from herbarium import store
from herbarium.console import start_log
from herbarium.figures import downstream, downstream_propagation, style

start_log(snakemake.log[0])
given, params = snakemake.input, snakemake.params
countries = store.read_frames(given.countries, "propagation_countries")
numbers, correlations = (store.read_frames(paths, "tidy") for paths in (given.numbers, given.correlations))
where = downstream.places(params.probed, params.planted)
table = downstream_propagation.table(countries, numbers, store.read_frame(given.regions, "regions"), where)
store.write_text(snakemake.output.csv, table.to_csv(index=False, lineterminator="\n"))
style.save(
    downstream_propagation.figure(table, correlations, params.level), [snakemake.output.pdf, snakemake.output.png]
)
