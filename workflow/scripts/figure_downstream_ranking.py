"""Countries ranked by what they change in tasks, beside nonsense names (rule figure_downstream_ranking)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.downstream import prefixes as task_prefixes
from herbarium.metrics.downstream.figures import ranking, shared

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
numbers = store.read_frames(given.numbers, "tidy")
prefixes = task_prefixes.read(params.tasks, given.prefixes)
table = ranking.table(numbers, prefixes, shared.places(params.probed, params.planted))
store.write_csv(snakemake.output.csv, table, made)
style.save(ranking.figure(table, params.level), snakemake.output.pictures, made)
