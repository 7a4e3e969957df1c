"""Countries ranked by what they change in tasks, beside nonsense names (rule figure_downstream_ranking)."""

from herbarium import store
from herbarium.downstream import prefixes as task_prefixes
from herbarium.figures import downstream, downstream_ranking, style
from herbarium.step import begin

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
numbers = store.read_frames(given.numbers, "tidy")
prefixes = task_prefixes.read(params.tasks, given.prefixes)
table = downstream_ranking.table(numbers, prefixes, downstream.places(params.probed, params.planted))
store.write_csv(snakemake.output.csv, table, made)
style.save(downstream_ranking.figure(table, params.level), snakemake.output.pictures, made)
