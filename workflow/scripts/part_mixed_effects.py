"""Write the part of the page on effect sizes (rule part_mixed_effects)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.metrics.mixed_effects.report.part import part
from herbarium.report import pictures

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
fits = store.read_frame(given.fits, "adjusted_fits")
models = map(store.read_record, given.models)
page_part = part(
    fits[fits["data"].isin(params.stimuli)],
    params.stimuli,
    list({model["name"]: model for model in models}.values()),
    pictures.read(given.figures),
    params.settings,
)
store.write_record(snakemake.output[0], page_part._asdict(), made)
