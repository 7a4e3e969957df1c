"""Countries as models represent them beside the real map, and the table of both (rule figure_herb_space)."""

from herbarium import store
from herbarium.console import start_log
from herbarium.figures import herb_space, style

start_log(snakemake.log[0])
models = [store.read_json(path) for path in snakemake.input.models]
countries = store.read_json(snakemake.input.countries)
embeddings_by_model = {
    model["name"]: store.read_frame(path, "embeddings")
    for model, path in zip(models, snakemake.input.embeddings, strict=True)
}
regions = store.read_frame(snakemake.input.regions, "regions")
numbers = store.read_frames(snakemake.input.numbers, "tidy")
table = herb_space.table(embeddings_by_model, regions, models, countries, snakemake.params.seed)
store.write_text(snakemake.output.csv, table.to_csv(index=False, lineterminator="\n"))
style.save(herb_space.figure(table, numbers, countries), [snakemake.output.pdf, snakemake.output.png])
