"""Countries ranked by what they change in tasks, beside nonsense names (rule figure_downstream_ranking)."""

from herbarium import store
from herbarium.console import start_log
from herbarium.downstream import prefixes as task_prefixes
from herbarium.figures import downstream, downstream_ranking, style

start_log(snakemake.log[0])
given, params = snakemake.input, snakemake.params
numbers = store.read_frames(given.numbers, "tidy")
prefixes = task_prefixes.read(params.tasks, given.prefixes)
table = downstream_ranking.table(numbers, prefixes, downstream.places(params.probed, params.planted))
store.write_text(snakemake.output.csv, table.to_csv(index=False, lineterminator="\n"))
style.save(downstream_ranking.figure(table, params.level), [snakemake.output.pdf, snakemake.output.png])
