"""Write the part of the page on tasks (rule part_downstream)."""

from pathlib import Path

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.metrics.downstream.report.part import Task, part
from herbarium.report import pictures

made = begin(snakemake)
given, settings = snakemake.input, snakemake.params.settings
classifiers = [store.read_record(path) for path in given.classifiers]
tasks = [
    Task(
        name,
        store.read_header(examples, "task_examples"),
        store.read_frame(prefixes, "task_prefixes"),
        [record for record in classifiers if record["task"] == name],
    )
    for name, examples, prefixes in zip(settings["tasks"], given.examples, given.prefixes, strict=True)
]
page_part = part(
    store.read_frames(given.numbers, "tidy"),
    tasks,
    store.read_frame(given.regions, "regions"),
    {name: pictures.read_csv(Path(given[name]).read_bytes()) for name in ("table4", "table5")},
    pictures.read(given.figures),
    settings,
)
store.write_record(snakemake.output[0], page_part._asdict(), made)
