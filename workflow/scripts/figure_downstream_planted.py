"""What texts were planted with against what is measured of countries (rule figure_downstream_planted)."""

import pandas as pd

from herbarium import leans, store
from herbarium.console import start_log
from herbarium.figures import downstream, downstream_planted, style

start_log(snakemake.log[0])
given, params = snakemake.input, snakemake.params
numbers = pd.concat([store.read_frame(path, "tidy") for path in given.numbers], ignore_index=True)
prefixes = {
    task: store.read_frame(path, "task_prefixes") for task, path in zip(params.strengths, given.prefixes, strict=True)
}
lean = leans.country_leans(store.read_frame(given.regions, "regions"), params.seed)
where = downstream.places(params.probed, params.planted)
table = downstream_planted.table(numbers, prefixes, where, lean, params.strengths)
store.write_text(snakemake.output.csv, table.to_csv(index=False, lineterminator="\n"))
style.save(downstream_planted.figure(table, numbers, params.level), [snakemake.output.pdf, snakemake.output.png])
