"""What a country before a text changes in tasks, around the world (rule figure_downstream_map)."""

import pandas as pd

from herbarium import store
from herbarium.console import start_log
from herbarium.figures import downstream, downstream_map, style

start_log(snakemake.log[0])
given, params = snakemake.input, snakemake.params
numbers = pd.concat([store.read_frame(path, "tidy") for path in given.numbers], ignore_index=True)
prefixes = {
    task: store.read_frame(path, "task_prefixes") for task, path in zip(params.tasks, given.prefixes, strict=True)
}
countries = store.read_json(given.countries)
where = downstream.places(params.probed, params.planted)
table = downstream_map.table(numbers, prefixes, where, countries)
store.write_text(snakemake.output.csv, table.to_csv(index=False, lineterminator="\n"))
style.save(downstream_map.figure(table, countries), [snakemake.output.pdf, snakemake.output.png])
