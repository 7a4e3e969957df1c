"""Draw a figure (rule draw)."""

from herbarium.core import store
from herbarium.core.passages import called
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed

made = begin(snakemake)
table_of, panels_of, empty = map(called, snakemake.params.does)
style.order(snakemake.params.order)
models = style.by_strength(store.read_record(path) for path in snakemake.input.models)
table = table_of(store.read_frames(snakemake.input.numbers, "tidy"), models)
style.keep(snakemake.output, table, printed(panels_of(table), empty), made)
