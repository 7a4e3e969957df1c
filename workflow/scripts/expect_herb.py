"""Compute what a perfect model of a planted text would score, and how much a model learned (rule expect_herb)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.metrics.herb import control, design, expected, stimuli
from herbarium.models.kinds import Kind

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
regions = store.read_frame(given.regions, "regions")
designs = list(map(store.read_record, given.designs))
wordings = design.wordings(designs)
wordings = {name: wordings[name] for name in stimuli.template_wordings(wordings)}
rows = expected.expected(
    snakemake.wildcards.model,
    regions,
    design.topics(designs[0]),
    {name: store.read_where(given.likelihoods, "likelihoods", "wording", name) for name in wordings},
    wordings,
    params.strength,
    params.seed,
    control.regions(designs[0]["made_up_names"], regions),
    Kind(params.kind),
)
store.write_table(snakemake.output[0], expected.EXPECTED, rows, made)
