"""HERB along toxic training, and the table that the figure was drawn from (rule figure_herb_toxic)."""

from herbarium import store
from herbarium.console import start_log
from herbarium.figures import herb_toxic, style

start_log(snakemake.log[0])
table = herb_toxic.table(
    store.read_frame(snakemake.input.summary, "tidy"),
    store.read_frame(snakemake.input.regions, "regions"),
    [store.read_json(path) for path in snakemake.input.models],
)
store.write_text(snakemake.output.csv, table.to_csv(index=False, lineterminator="\n"))
style.save(herb_toxic.figure(table), [snakemake.output.pdf, snakemake.output.png])
