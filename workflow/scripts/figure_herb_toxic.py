"""HERB along toxic training, and the table that the figure was drawn from (rule figure_herb_toxic)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.herb.figures import toxic as herb_toxic

made = begin(snakemake)
table = herb_toxic.table(
    store.read_frame(snakemake.input.summary, "tidy"),
    store.read_frame(snakemake.input.regions, "regions"),
    [store.read_record(path) for path in snakemake.input.models],
)
store.write_csv(snakemake.output.csv, table, made)
style.save(herb_toxic.figure(table), snakemake.output.pictures, made)
