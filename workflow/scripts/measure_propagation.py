"""Whether what a model holds of countries predicts what its classifiers do with them (rule measure_propagation)."""

from herbarium import hierarchy, store
from herbarium.console import log
from herbarium.metrics import propagation, tidy
from herbarium.probes import likelihoods
from herbarium.probes.herb import PAPER
from herbarium.step import begin

made = begin(snakemake)
(task, model), given, params = snakemake.wildcards.probed.split("/"), snakemake.input, snakemake.params
countries = hierarchy.countries(store.read_frame(given.regions, "regions"))["region"]
f = likelihoods.frame(store.read_where(given.likelihoods, "likelihoods", "wording", PAPER), params.topics)
measures = propagation.country_measures(store.read_frame(given.herb, "tidy"), f, countries)
effects = propagation.country_effects(store.read_frame(given.downstream, "tidy"), model, task)
n_tokens = store.read_frame(given.embeddings, "embeddings", ["region", "n_tokens"]).set_index("region")["n_tokens"]
numbers = propagation.of_countries(
    model,
    task,
    measures,
    f,
    effects["estimate"],
    n_tokens,
    params.bootstrap,
    params.tests["correction"],
    params.seed,
)
table = propagation.scatter(model, task, measures, effects, store.read_frame(given.prefixes, "task_prefixes"))
store.write_table(snakemake.output.numbers, tidy.TIDY, numbers, made)
store.write_table(snakemake.output.countries, propagation.COUNTRIES, table, made)
log.info("%s, %s: %d correlations over countries.", task, model, len(numbers))
