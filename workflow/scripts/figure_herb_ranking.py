"""Ranked bars of one description, and the table that they were drawn from (rule figure_herb_ranking)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.herb.figures import likelihoods, ranking

made = begin(snakemake)
models = [store.read_record(path) for path in snakemake.input.models]
regions = store.read_frame(snakemake.input.regions, "regions")
f_by_model = likelihoods.load(snakemake.input.likelihoods, snakemake.params.topics, models)
table = ranking.table(f_by_model, regions, models, snakemake.params.description)
store.write_csv(snakemake.output.csv, table, made)
style.save(ranking.figure(table), snakemake.output.pictures, made)
