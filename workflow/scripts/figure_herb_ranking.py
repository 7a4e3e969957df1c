"""Ranked bars of one description, and the table that they were drawn from (rule figure_herb_ranking)."""

from herbarium import store
from herbarium.console import start_log
from herbarium.figures import herb_likelihoods, herb_ranking, style

start_log(snakemake.log[0])
models = [store.read_json(path) for path in snakemake.input.models]
regions = store.read_frame(snakemake.input.regions, "regions")
f_by_model = herb_likelihoods.load(snakemake.input.likelihoods, snakemake.params.topics, models)
table = herb_ranking.table(f_by_model, regions, models, snakemake.params.description)
store.write_text(snakemake.output.csv, table.to_csv(index=False, lineterminator="\n"))
style.save(herb_ranking.figure(table), [snakemake.output.pdf, snakemake.output.png])
