"""Place countries on a plane, as each model represents their names (rule place_herb)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.herb.figures import space

made = begin(snakemake)
given = snakemake.input
models = [store.read_record(path) for path in given.models]
embeddings = {
    model["name"]: store.read_frame(path, "embeddings") for model, path in zip(models, given.embeddings, strict=True)
}
table = space.table(
    embeddings,
    store.read_frame(given.regions, "regions"),
    models,
    store.read_json(given.countries),
    snakemake.params.seed,
)
store.write_table(snakemake.output[0], space.PLANE, table, made)
log.info("%d countries on the planes of %d models.", len(table), len(models))
