"""Plot each metric against the strength of planted bias, with the table of the figure (rule draw_calibration)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.study import calibration

made = begin(snakemake)
table = calibration.by_kind(store.read_frames(snakemake.input, "calibration"), snakemake.params.kinds)
style.keep(snakemake.output.calibration, table, printed(calibration.panels(table), calibration.EMPTY), made)
