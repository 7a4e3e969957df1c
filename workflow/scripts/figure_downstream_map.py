"""What a country before a text changes in tasks, around the world (rule figure_downstream_map)."""

from herbarium import store
from herbarium.downstream import prefixes as task_prefixes
from herbarium.figures import downstream, downstream_map, style
from herbarium.step import begin

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
numbers = store.read_frames(given.numbers, "tidy")
prefixes = task_prefixes.read(params.tasks, given.prefixes)
countries = store.read_json(given.countries)
where = downstream.places(params.probed, params.planted)
table = downstream_map.table(numbers, prefixes, where, countries)
store.write_csv(snakemake.output.csv, table, made)
style.save(downstream_map.figure(table, countries), snakemake.output.pictures, made)
