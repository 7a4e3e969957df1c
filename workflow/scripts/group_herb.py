"""f(S) by continent, for the mixed model of groups (rule group_herb)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.herb.groups import grouped
from herbarium.statistics.grouped import GROUPED

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
by_template = {
    template: store.read_where(given.likelihoods, "likelihoods", "wording", template) for template in params.templates
}
rows = grouped(by_template, store.read_frame(given.regions, "regions"), params.topics)
store.write_table(snakemake.output[0], GROUPED, rows, made)
log.info("%d scores of %d groups.", len(rows), rows["group"].nunique())
