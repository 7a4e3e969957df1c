"""What the page says of groups, whatever metric their scores are of (rule part_groups)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.report.groups import part

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
fits = store.read_frame(given.fits, "adjusted_fits")
models = [store.read_record(path) for path in given.models]
said = part(fits[fits["data"].isin(params.data)], models, params.settings, params.told)
store.write_record(snakemake.output[0], said._asdict(), made)
