"""Ranked bars of one description, and the table that they were drawn from (rule figure_herb_ranking)."""

from herbarium import store
from herbarium.figures import herb_likelihoods, herb_ranking, style
from herbarium.step import begin

made = begin(snakemake)
models = [store.read_record(path) for path in snakemake.input.models]
regions = store.read_frame(snakemake.input.regions, "regions")
f_by_model = herb_likelihoods.load(snakemake.input.likelihoods, snakemake.params.topics, models)
table = herb_ranking.table(f_by_model, regions, models, snakemake.params.description)
store.write_csv(snakemake.output.csv, table, made)
style.save(herb_ranking.figure(table), snakemake.output.pictures, made)
