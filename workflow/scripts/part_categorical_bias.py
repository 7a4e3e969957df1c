"""Write the part of the page on Categorical Bias (rule part_categorical_bias)."""

from pathlib import Path

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias.report.part import part
from herbarium.report import pictures

made = begin(snakemake)
given = snakemake.input
page_part = part(
    store.read_frames(given.numbers, "tidy"),
    [store.read_record(path) for path in given.models],
    pictures.read(given.figures),
    store.read_csv(Path(given.remarks).read_bytes(), keep_default_na=False),
    snakemake.params.section,
)
store.write_record(snakemake.output[0], page_part._asdict(), made)
