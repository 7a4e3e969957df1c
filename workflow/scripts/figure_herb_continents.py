"""HERB by region with its intervals, and the table that the figure was drawn from (rule figure_herb_continents)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.herb.figures import continents

made = begin(snakemake)
table = continents.table(
    store.read_frame(snakemake.input.summary, "tidy"),
    store.read_frame(snakemake.input.regions, "regions"),
    [store.read_record(path) for path in snakemake.input.models],
)
store.write_csv(snakemake.output.csv, table, made)
style.save(continents.figure(table), snakemake.output.pictures, made)
