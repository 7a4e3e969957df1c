"""What a country before a text changes in tasks, around the world (rule figure_downstream_map)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.downstream import prefixes as task_prefixes
from herbarium.metrics.downstream.figures import map, shared

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
numbers = store.read_frames(given.numbers, "tidy")
prefixes = task_prefixes.read(params.tasks, given.prefixes)
countries = store.read_json(given.countries)
where = shared.places(params.probed, params.planted)
table = map.table(numbers, prefixes, where, countries)
store.write_csv(snakemake.output.csv, table, made)
style.save(map.figure(table, countries), snakemake.output.pictures, made)
