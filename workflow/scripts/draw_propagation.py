"""Plot what models encode about countries against their effects in tasks (rule draw_propagation)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style, tasks
from herbarium.drawing.printed import printed
from herbarium.metrics.propagation.figures import scatter

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
countries = store.read_frames(given.countries, "propagation_countries")
numbers, correlations = (store.read_frames(paths, "tidy") for paths in (given.numbers, given.correlations))
where = tasks.places(params.measured, params.planted)
table = scatter.table(countries, numbers, store.read_frame(given.regions, "regions"), where)
style.keep(snakemake.output.scatter, table, printed(scatter.panels(table, correlations), scatter.EMPTY), made)
