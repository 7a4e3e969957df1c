"""Lay out f(S) of countries by continent, for the comparison of groups (rule group_herb)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.herb import design, likelihoods
from herbarium.metrics.herb.groups import grouped
from herbarium.statistics.grouped import GROUPED

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
by_template = {
    template: store.read_where(given.likelihoods, "likelihoods", "wording", template) for template in params.templates
}
names = store.read_frames(given.names, "herb_stimuli")
tokens = likelihoods.name_tokens(names, store.read_frame(given.scores, "scores", ["sentence_id", "n_tokens"]))
topics = design.topics(store.read_record(given.design))
rows = grouped(by_template, store.read_frame(given.regions, "regions"), topics, tokens)
store.write_table(snakemake.output[0], GROUPED, rows, made)
log.info("%d scores of %d countries in %d groups.", len(rows), rows["unit"].nunique(), rows["group"].nunique())
