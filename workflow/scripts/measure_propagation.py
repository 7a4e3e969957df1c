"""Whether what a model holds of countries predicts what its classifiers do with them (rule measure_propagation)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.herb import likelihoods
from herbarium.metrics.herb.stimuli import PAPER
from herbarium.metrics.propagation import score
from herbarium.regions import levels
from herbarium.statistics import tidy

made = begin(snakemake)
(task, model), given, params = snakemake.wildcards.probed.split("/"), snakemake.input, snakemake.params
countries = levels.countries(store.read_frame(given.regions, "regions"))["region"]
f = likelihoods.frame(store.read_where(given.likelihoods, "likelihoods", "wording", PAPER), params.topics)
measures = score.country_measures(store.read_frame(given.herb, "tidy"), f, countries)
effects = score.country_effects(store.read_frame(given.downstream, "tidy"), model, task)
n_tokens = store.read_frame(given.embeddings, "embeddings", ["region", "n_tokens"]).set_index("region")["n_tokens"]
numbers = score.of_countries(
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
table = score.scatter(model, task, measures, effects, store.read_frame(given.prefixes, "task_prefixes"))
store.write_table(snakemake.output.numbers, tidy.TIDY, numbers, made)
store.write_table(snakemake.output.countries, score.COUNTRIES, table, made)
log.info("%s, %s: %d correlations over countries.", task, model, len(numbers))
