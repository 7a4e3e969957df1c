"""Write the part of the page on intrinsic and extrinsic measures (rule part_propagation)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.metrics.propagation.report.part import part
from herbarium.report import pictures, tasks

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
page_part = part(
    store.read_frames(given.numbers, "tidy"),
    params.tasks,
    tasks.labels(params.measured, params.planted),
    pictures.read(given.figures),
    params.settings,
)
store.write_record(snakemake.output[0], page_part._asdict(), made)
