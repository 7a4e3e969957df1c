"""Write the part of the page on named-entity recognition (rule part_tagging)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.tagging.report.part import part
from herbarium.metrics.tagging.sentences import SENTENCES

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
records = map(store.read_record, given.models)
models = style.by_strength({model["name"]: model for model in records}.values())
tasks = [store.read_header(path, SENTENCES.name) for path in given.sentences]
page_part = part(store.read_frames(given.numbers, "tidy"), models, tasks, params.training, params.level)
store.write_record(snakemake.output[0], page_part._asdict(), made)
