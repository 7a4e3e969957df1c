"""World maps of one description, and the table that they were drawn from (rule figure_herb_map)."""

from herbarium import store
from herbarium.console import start_log
from herbarium.figures import herb_map, style

start_log(snakemake.log[0])
models = [store.read_json(path) for path in snakemake.input.models]
countries = store.read_json(snakemake.input.countries)
scores_by_model = {
    model["name"]: store.read_frame(path, "scores", ["sentence_id", "quantity", "value"])
    for model, path in zip(models, snakemake.input.scores, strict=True)
}
table = herb_map.table(
    store.read_frame(snakemake.input.probe, "herb_probe", ["sentence_id", "region_name", "description"]),
    store.read_frame(snakemake.input.regions, "regions"),
    models,
    scores_by_model,
    snakemake.params.description,
    countries,
)
store.write_text(snakemake.output.csv, table.to_csv(index=False, lineterminator="\n"))
style.save(herb_map.figure(table, countries), [snakemake.output.pdf, snakemake.output.png])
