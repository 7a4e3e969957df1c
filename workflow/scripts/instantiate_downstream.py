"""Put regions and controls into a task's template (rule instantiate_downstream)."""

from herbarium.core import resources, store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.downstream.prefixes import PREFIXES, prefixes

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
table = prefixes(
    params.template,
    params.controls,
    resources.read_words(given.nonsense),
    store.read_frame(given.regions, "regions"),
    **params.regions,
)
store.write_table(snakemake.output[0], PREFIXES, table, made | {"template": params.template})
log.info("Prefixes: %s.", ", ".join(f"{n} {unit}" for unit, n in table["unit"].value_counts(sort=False).items()))
