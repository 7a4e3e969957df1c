"""Plot the gap of each occupation against the share of women in it (rule draw_biographies)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.metrics.biographies import numbers
from herbarium.metrics.biographies.figures import gaps

made = begin(snakemake)
table = gaps.table(store.read_frames(snakemake.input, numbers.OCCUPATIONS.name))
style.keep(snakemake.output.gaps, table, printed(gaps.panels(table), gaps.EMPTY), made)
