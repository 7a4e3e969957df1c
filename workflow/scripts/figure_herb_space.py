"""Countries as models represent them beside the real map, and the table of both (rule figure_herb_space)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.herb.figures import space

made = begin(snakemake)
models = [store.read_record(path) for path in snakemake.input.models]
countries = store.read_json(snakemake.input.countries)
embeddings_by_model = {
    model["name"]: store.read_frame(path, "embeddings")
    for model, path in zip(models, snakemake.input.embeddings, strict=True)
}
regions = store.read_frame(snakemake.input.regions, "regions")
numbers = store.read_frames(snakemake.input.numbers, "tidy")
table = space.table(embeddings_by_model, regions, models, countries, snakemake.params.seed)
store.write_csv(snakemake.output.csv, table, made)
style.save(space.figure(table, numbers, countries), snakemake.output.pictures, made)
