"""HERB by region with its intervals, and the table that the figure was drawn from (rule figure_herb_continents)."""

from herbarium import store
from herbarium.figures import herb_continents, style
from herbarium.step import begin

made = begin(snakemake)
table = herb_continents.table(
    store.read_frame(snakemake.input.summary, "tidy"),
    store.read_frame(snakemake.input.regions, "regions"),
    [store.read_record(path) for path in snakemake.input.models],
)
store.write_csv(snakemake.output.csv, table, made)
style.save(herb_continents.figure(table), snakemake.output.pictures, made)
