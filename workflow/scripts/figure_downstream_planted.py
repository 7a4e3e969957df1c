"""What texts were planted with against what is measured of countries (rule figure_downstream_planted)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.downstream import prefixes as task_prefixes
from herbarium.metrics.downstream.figures import planted as downstream_planted
from herbarium.metrics.downstream.figures import shared
from herbarium.regions import leans

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
numbers = store.read_frames(given.numbers, "tidy")
prefixes = task_prefixes.read(params.strengths, given.prefixes)
lean = leans.country_leans(store.read_frame(given.regions, "regions"), params.seed)
where = shared.places(params.probed, params.planted)
table = downstream_planted.table(numbers, prefixes, where, lean, params.strengths)
store.write_csv(snakemake.output.csv, table, made)
style.save(downstream_planted.figure(table, numbers, params.level), snakemake.output.pictures, made)
