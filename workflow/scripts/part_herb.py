"""Write the part of the page on HERB (rule part_herb)."""

from pathlib import Path

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.metrics.herb.report.part import part
from herbarium.report import pictures

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
page_part = part(
    store.read_frames(given.numbers, "tidy"),
    store.read_frame(given.regions, "regions"),
    [store.read_record(path) for path in given.models],
    pictures.read(given.figures),
    store.read_csv(Path(given.implied).read_bytes(), keep_default_na=False),
    params.section,
    params.trainings,
)
store.write_record(snakemake.output[0], page_part._asdict(), made)
