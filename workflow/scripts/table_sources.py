"""Count the published figures of each source that are compared with ours (rule table_sources)."""

from herbarium.core import resources, store
from herbarium.core.step import begin
from herbarium.study import reproduction, scope

made = begin(snakemake)
given, sources = snakemake.input, snakemake.params.sources
published = {
    metric: len(resources.read_text_table(path, ["value"]))
    for metric, path in zip(sources, given.published, strict=True)
}
table = reproduction.read(given.reproduction)
store.write_csv(
    snakemake.output.sources, reproduction.by_source(table, published, sources, scope.read(given.lists)), made
)
