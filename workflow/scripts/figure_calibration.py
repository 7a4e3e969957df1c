"""Each metric against the strength of planted bias, and the table that the figure was drawn from (rule
figure_calibration)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.study import calibration

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
root = None
if given.regions:
    regions = store.read_frame(given.regions, "regions")
    root = regions.loc[regions["parent"].isna(), "region"].item()
table = calibration.table(store.read_frame(given.summary, "tidy"), params.planted, params.tasks, root)
store.write_csv(snakemake.output.csv, table, made)
style.save(calibration.figure(table), snakemake.output.pictures, made)
