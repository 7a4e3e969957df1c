"""Tables 4 and 5 of HERB, published and ours, and the clusters of local groups (rule table_downstream)."""

import pandas as pd

from herbarium.core import resources, store
from herbarium.core.step import begin
from herbarium.metrics.downstream import prefixes as task_prefixes
from herbarium.metrics.downstream import published as downstream_published
from herbarium.metrics.local_group_bias.numbers import LOCAL_GROUPS

made = begin(snakemake)
given, output = snakemake.input, snakemake.output
numbers = store.read_frames(given.numbers, "tidy")
prefixes = task_prefixes.read(snakemake.params.tasks, given.prefixes)
published = resources.read_table(given.published)
clusters = [store.read_frame(path, "local_groups") for path in given.clusters]
tables = {
    output.table4: downstream_published.beside(numbers, prefixes, published, 4),
    output.table5: downstream_published.beside(numbers, prefixes, published, 5),
    output.local_groups: pd.concat([pd.DataFrame(columns=LOCAL_GROUPS.fields.names), *clusters], ignore_index=True),
}
for path, table in tables.items():
    store.write_csv(path, table, made)
