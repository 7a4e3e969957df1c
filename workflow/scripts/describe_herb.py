"""Write what a model encodes about each country (rule describe_herb)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.metrics.herb import countries, design, likelihoods
from herbarium.metrics.herb.stimuli import PAPER
from herbarium.regions import levels

made = begin(snakemake)
given, output = snakemake.input, snakemake.output
regions = levels.countries(store.read_frame(given.regions, "regions"))["region"]
topics = design.topics(store.read_record(given.design))
f = likelihoods.frame(store.read_where(given.likelihoods, "likelihoods", "wording", PAPER), topics)
measures = countries.measures(store.read_frame(given.numbers, "tidy"), f, regions)
n_tokens = store.read_frame(given.embeddings, "embeddings", ["region", "n_tokens"]).set_index("region")["n_tokens"]
store.write_table(output.measures, countries.COUNTRY_MEASURES, measures, made)
store.write_table(output.vectors, countries.COUNTRY_VECTORS, countries.vectors(f, n_tokens), made)
