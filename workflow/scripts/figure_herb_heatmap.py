"""Descriptive vectors of continents, the table that they were drawn from, and countries (rule figure_herb_heatmap)."""

from herbarium import hierarchy, store
from herbarium.figures import herb_heatmap, herb_likelihoods, style
from herbarium.step import begin

made = begin(snakemake)
models = [store.read_record(path) for path in snakemake.input.models]
regions = store.read_frame(snakemake.input.regions, "regions")
f_by_model = herb_likelihoods.load(snakemake.input.likelihoods, snakemake.params.topics, models)
table = herb_heatmap.table(f_by_model, hierarchy.continents(regions), models)
countries = herb_heatmap.table(f_by_model, hierarchy.countries(regions), models)
store.write_csv(snakemake.output.csv, table, made)
store.write_csv(snakemake.output.countries, countries, made)
style.save(herb_heatmap.figure(table), snakemake.output.pictures, made)
