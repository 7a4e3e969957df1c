"""Write the part of the page on regions in context (rule part_regions_in_context)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.regions_in_context.report.part import part
from herbarium.report import pictures

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
models = style.by_strength(map(store.read_record, given.models))
tidy = store.read_frames(given.numbers, "tidy")
page_part = part(tidy, models, params.model_of, params.level, pictures.read(given.figures))
store.write_record(snakemake.output[0], page_part._asdict(), made)
