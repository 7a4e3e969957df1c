"""Write the part of the page on word associations (rule part_word_associations)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.metrics.word_associations.report.part import part
from herbarium.report import pictures

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
models = [store.read_record(path) for path in given.models]
tidy = store.read_frames(given.numbers, "tidy")
page_part = part(tidy, models, params.planted, params.level, params.correction, pictures.read(given.figures))
store.write_record(snakemake.output[0], page_part._asdict(), made)
