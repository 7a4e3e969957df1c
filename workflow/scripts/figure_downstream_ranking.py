"""Countries ranked by what they change in tasks, beside nonsense names (rule figure_downstream_ranking)."""

import pandas as pd

from herbarium import store
from herbarium.console import start_log
from herbarium.figures import downstream, downstream_ranking, style

start_log(snakemake.log[0])
given, params = snakemake.input, snakemake.params
numbers = pd.concat([store.read_frame(path, "tidy") for path in given.numbers], ignore_index=True)
prefixes = {
    task: store.read_frame(path, "task_prefixes") for task, path in zip(params.tasks, given.prefixes, strict=True)
}
table = downstream_ranking.table(numbers, prefixes, downstream.places(params.probed, params.planted))
store.write_text(snakemake.output.csv, table.to_csv(index=False, lineterminator="\n"))
style.save(downstream_ranking.figure(table, params.level), [snakemake.output.pdf, snakemake.output.png])
