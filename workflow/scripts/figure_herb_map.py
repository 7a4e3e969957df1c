"""What a model says of one description around the world (rule figure_herb_map)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.herb.figures import likelihoods, map

made = begin(snakemake)
models = [store.read_record(path) for path in snakemake.input.models]
regions = store.read_frame(snakemake.input.regions, "regions")
countries = store.read_json(snakemake.input.countries)
f_by_model = likelihoods.load(snakemake.input.likelihoods, snakemake.params.topics, models)
table = map.table(f_by_model, regions, models, snakemake.params.description, countries)
store.write_csv(snakemake.output.csv, table, made)
style.save(map.figure(table, countries), snakemake.output.pictures, made)
