"""Countries as models represent them beside the real map, and the table of both (rule figure_herb_space)."""

from herbarium import store
from herbarium.figures import herb_space, style
from herbarium.step import begin

made = begin(snakemake)
models = [store.read_record(path) for path in snakemake.input.models]
countries = store.read_json(snakemake.input.countries)
embeddings_by_model = {
    model["name"]: store.read_frame(path, "embeddings")
    for model, path in zip(models, snakemake.input.embeddings, strict=True)
}
regions = store.read_frame(snakemake.input.regions, "regions")
numbers = store.read_frames(snakemake.input.numbers, "tidy")
table = herb_space.table(embeddings_by_model, regions, models, countries, snakemake.params.seed)
store.write_csv(snakemake.output.csv, table, made)
style.save(herb_space.figure(table, numbers, countries), snakemake.output.pictures, made)
