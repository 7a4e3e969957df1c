"""What texts were planted with against what is measured of countries (rule figure_downstream_planted)."""

from herbarium import leans, store
from herbarium.downstream import prefixes as task_prefixes
from herbarium.figures import downstream, downstream_planted, style
from herbarium.step import begin

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
numbers = store.read_frames(given.numbers, "tidy")
prefixes = task_prefixes.read(params.strengths, given.prefixes)
lean = leans.country_leans(store.read_frame(given.regions, "regions"), params.seed)
where = downstream.places(params.probed, params.planted)
table = downstream_planted.table(numbers, prefixes, where, lean, params.strengths)
store.write_csv(snakemake.output.csv, table, made)
style.save(downstream_planted.figure(table, numbers, params.level), snakemake.output.pictures, made)
