"""Write the part of the page on pseudo-perplexity (rule part_perplexity)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.perplexity.report.part import part

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
records = map(store.read_record, given.models)
models = style.by_strength({model["name"]: model for model in records}.values())
page_part = part(store.read_frames(given.numbers, "tidy"), models, params.level, params.max_words)
store.write_record(snakemake.output[0], page_part._asdict(), made)
