"""Write the part of the page on bias amplification (rule part_amplification)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.metrics.amplification import outputs
from herbarium.metrics.amplification.numbers import BY_METHOD
from herbarium.metrics.amplification.report.part import part
from herbarium.report import pictures, tasks

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
page_part = part(
    store.read_frames(given.numbers, "tidy"),
    store.read_frames(given.by_method, BY_METHOD.name),
    outputs.read(given.structured),
    params.texts,
    store.read_frame(given.regions, "regions").set_index("region")["name"].to_dict(),
    tasks.labels(params.measured, params.planted),
    pictures.read(given.figures),
    params.settings,
)
store.write_record(snakemake.output[0], page_part._asdict(), made)
