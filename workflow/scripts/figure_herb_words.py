"""Which descriptions drive a region's bias, and the table that the bars were drawn from (rule figure_herb_words)."""

from herbarium import store
from herbarium.console import start_log
from herbarium.figures import herb_likelihoods, herb_words, style

start_log(snakemake.log[0])
models = [store.read_json(path) for path in snakemake.input.models]
regions = store.read_frame(snakemake.input.regions, "regions")
f_by_model = herb_likelihoods.load(snakemake.input.likelihoods, snakemake.params.topics, models)
table = herb_words.table(f_by_model, regions, models)
store.write_text(snakemake.output.csv, table.to_csv(index=False, lineterminator="\n"))
style.save(herb_words.figure(table), [snakemake.output.pdf, snakemake.output.png])
