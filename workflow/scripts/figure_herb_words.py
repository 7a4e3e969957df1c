"""Which descriptions drive a region's bias, and the table that the bars were drawn from (rule figure_herb_words)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.herb.figures import likelihoods, words

made = begin(snakemake)
models = [store.read_record(path) for path in snakemake.input.models]
regions = store.read_frame(snakemake.input.regions, "regions")
f_by_model = likelihoods.load(snakemake.input.likelihoods, snakemake.params.topics, models)
table = words.table(f_by_model, regions, models)
store.write_csv(snakemake.output.csv, table, made)
style.save(words.figure(table), snakemake.output.pictures, made)
