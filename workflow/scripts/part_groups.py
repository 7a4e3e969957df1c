"""Write the part of the page on groups, for all metrics (rule part_groups)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.report.groups import part

made = begin(snakemake)
given = snakemake.input
models = [store.read_record(path) for path in given.models]
page_part = part(store.read_frame(given.numbers, "tidy"), models, snakemake.params.settings)
store.write_record(snakemake.output[0], page_part._asdict(), made)
