"""What a country before a text changes in tasks, around the world (rule figure_downstream_map)."""

from herbarium import store
from herbarium.console import start_log
from herbarium.downstream import prefixes as task_prefixes
from herbarium.figures import downstream, downstream_map, style

start_log(snakemake.log[0])
given, params = snakemake.input, snakemake.params
numbers = store.read_frames(given.numbers, "tidy")
prefixes = task_prefixes.read(params.tasks, given.prefixes)
countries = store.read_json(given.countries)
where = downstream.places(params.probed, params.planted)
table = downstream_map.table(numbers, prefixes, where, countries)
store.write_text(snakemake.output.csv, table.to_csv(index=False, lineterminator="\n"))
style.save(downstream_map.figure(table, countries), [snakemake.output.pdf, snakemake.output.png])
