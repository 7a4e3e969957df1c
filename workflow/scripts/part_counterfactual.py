"""Write the part of the page on counterfactual sentences (rule part_counterfactual)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.counterfactual.report.part import part

made = begin(snakemake)
given = snakemake.input
records = map(store.read_record, given.models)
models = style.by_strength({model["name"]: model for model in records}.values())
page_part = part(store.read_frames(given.numbers, "tidy"), models, snakemake.params.level)
store.write_record(snakemake.output[0], page_part._asdict(), made)
