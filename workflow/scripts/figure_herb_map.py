"""What a model says of one description around the world (rule figure_herb_map)."""

from herbarium import store
from herbarium.figures import herb_likelihoods, herb_map, style
from herbarium.step import begin

made = begin(snakemake)
models = [store.read_record(path) for path in snakemake.input.models]
regions = store.read_frame(snakemake.input.regions, "regions")
countries = store.read_json(snakemake.input.countries)
f_by_model = herb_likelihoods.load(snakemake.input.likelihoods, snakemake.params.topics, models)
table = herb_map.table(f_by_model, regions, models, snakemake.params.description, countries)
store.write_csv(snakemake.output.csv, table, made)
style.save(herb_map.figure(table, countries), snakemake.output.pictures, made)
