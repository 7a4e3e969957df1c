"""Write the part of the page on biographies (rule part_biographies)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.biographies.report.part import part
from herbarium.report import pictures

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
models = style.by_strength(map(store.read_record, given.models))
tidy = store.read_frames(given.numbers, "tidy")
texts = dict(zip(params.tasks, map(store.read_record, given.counted), strict=True))
page_part = part(tidy, models, texts, params.planted, params.level, params.correction, pictures.read(given.figures))
store.write_record(snakemake.output[0], page_part._asdict(), made)
