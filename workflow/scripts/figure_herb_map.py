"""What a model says of one description around the world (rule figure_herb_map)."""

from herbarium import store
from herbarium.console import start_log
from herbarium.figures import herb_map, style
from herbarium.metrics import herb_likelihoods
from herbarium.probes.herb import PAPER

start_log(snakemake.log[0])
given, params = snakemake.input, snakemake.params
models = [store.read_json(path) for path in given.models]
countries = store.read_json(given.countries)
f_by_model = {
    model["name"]: herb_likelihoods.frame(store.read_where(path, "likelihoods", "wording", PAPER), params.topics)
    for model, path in zip(models, given.likelihoods, strict=True)
}
table = herb_map.table(store.read_frame(given.regions, "regions"), models, f_by_model, params.description, countries)
store.write_text(snakemake.output.csv, table.to_csv(index=False, lineterminator="\n"))
style.save(herb_map.figure(table, countries), [snakemake.output.pdf, snakemake.output.png])
