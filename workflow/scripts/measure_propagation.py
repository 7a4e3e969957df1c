"""Correlate what a model encodes about countries with their effects in tasks (rule measure_propagation)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.propagation import score
from herbarium.statistics import tidy

made = begin(snakemake)
task, model = snakemake.wildcards.task, snakemake.wildcards.model
given, params = snakemake.input, snakemake.params
measures = score.by_country(store.read_frame(given.measures, "country_measures"))
prefixes = store.read_frame(given.prefixes, "task_prefixes")
named = prefixes[prefixes["unit"] == "country"].set_index("group")
countries = store.read_frame(given.vectors, "country_vectors").set_index("region")
countries = countries.assign(continent=named["continent"], n_letters=named["name"].str.len())
effects = score.country_effects(store.read_frame(given.downstream, "tidy"), model, task)
numbers = score.of_countries(
    model,
    task,
    measures,
    countries,
    effects["estimate"],
    score.words_of(countries),
    score.sets_of(store.read_frame(given.by_set, "items")),
    params.bootstrap,
    params.tests["correction"],
    params.seed,
)
table = score.scatter(model, task, measures, effects, prefixes)
store.write_table(snakemake.output.numbers, tidy.TIDY, numbers, made)
store.write_table(snakemake.output.countries, score.COUNTRIES, table, made)
log.info("%s, %s: %d correlations over countries.", task, model, len(numbers))
