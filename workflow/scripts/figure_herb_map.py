"""What a model says of one description around the world (rule figure_herb_map)."""

from herbarium import store
from herbarium.console import start_log
from herbarium.figures import herb_likelihoods, herb_map, style

start_log(snakemake.log[0])
models = [store.read_json(path) for path in snakemake.input.models]
regions = store.read_frame(snakemake.input.regions, "regions")
countries = store.read_json(snakemake.input.countries)
f_by_model = herb_likelihoods.load(snakemake.input.likelihoods, snakemake.params.topics, models)
table = herb_map.table(f_by_model, regions, models, snakemake.params.description, countries)
store.write_text(snakemake.output.csv, table.to_csv(index=False, lineterminator="\n"))
style.save(herb_map.figure(table, countries), [snakemake.output.pdf, snakemake.output.png])
