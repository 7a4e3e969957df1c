"""Write the part of the page on local group bias (rule part_local_group_bias)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.metrics.local_group_bias.report.part import part
from herbarium.report import tasks

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
names = store.read_frame(given.regions, "regions").set_index("region")["name"].to_dict()
for path in given.prefixes:
    names |= store.read_frame(path, "task_prefixes").set_index("group")["name"].str.strip().to_dict()
page_part = part(
    store.read_frames(given.numbers, "tidy"),
    store.read_frames(given.clusters, "local_group_bias_clusters"),
    params.texts,
    names,
    tasks.labels(params.measured, params.planted),
    params.has_sets,
    params.settings,
)
store.write_record(snakemake.output[0], page_part._asdict(), made)
