"""Write the part of the page on discrimination scores (rule part_discrimination_scores)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.discrimination_scores.report.part import part
from herbarium.report import pictures

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
records = map(store.read_record, given.models)
models = style.by_strength({model["name"]: model for model in records}.values())
tidy = store.read_frames(given.numbers, "tidy")
page_part = part(tidy, models, params.references, params.level, params.correction, pictures.read(given.figures))
store.write_record(snakemake.output[0], page_part._asdict(), made)
