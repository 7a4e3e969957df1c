"""Which descriptions drive a region's bias, and the table that the bars were drawn from (rule figure_herb_words)."""

from herbarium import store
from herbarium.figures import herb_likelihoods, herb_words, style
from herbarium.step import begin

made = begin(snakemake)
models = [store.read_record(path) for path in snakemake.input.models]
regions = store.read_frame(snakemake.input.regions, "regions")
f_by_model = herb_likelihoods.load(snakemake.input.likelihoods, snakemake.params.topics, models)
table = herb_words.table(f_by_model, regions, models)
store.write_csv(snakemake.output.csv, table, made)
style.save(herb_words.figure(table), snakemake.output.pictures, made)
