"""Descriptive vectors of continents, the table that they were drawn from, and countries (rule figure_herb_heatmap)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.herb.figures import heatmap, likelihoods
from herbarium.regions import levels

made = begin(snakemake)
models = [store.read_record(path) for path in snakemake.input.models]
regions = store.read_frame(snakemake.input.regions, "regions")
f_by_model = likelihoods.load(snakemake.input.likelihoods, snakemake.params.topics, models)
table = heatmap.table(f_by_model, levels.continents(regions), models)
countries = heatmap.table(f_by_model, levels.countries(regions), models)
store.write_csv(snakemake.output.csv, table, made)
store.write_csv(snakemake.output.countries, countries, made)
style.save(heatmap.figure(table), snakemake.output.pictures, made)
