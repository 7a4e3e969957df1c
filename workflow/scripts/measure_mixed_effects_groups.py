"""The mixed model on scores of HERB and Categorical Bias (rule measure_mixed_effects_groups)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log, tracked
from herbarium.core.step import begin
from herbarium.statistics import fits as mixed_effects_fits
from herbarium.statistics import grouped, lme4

made = begin(snakemake)
lme4.require()
made["libraries"] |= lme4.versions()
model, given, params = snakemake.wildcards.model, snakemake.input, snakemake.params
chosen = mixed_effects_fits.settings(params.settings, params.seed)
data = {}
if given.likelihoods:
    by_template = {
        template: store.read_where(given.likelihoods, "likelihoods", "wording", template)
        for template in params.templates
    }
    regions = store.read_frame(given.regions, "regions")
    data["herb"] = grouped.of_herb(by_template, regions, params.topics)
if given.associations:
    by_language = {}
    for (language, leading), path in zip(params.leading.items(), given.associations, strict=True):
        rows = store.read_frame(path, "associations")
        by_language[language] = rows[(rows["list"] == leading) & (rows["definition"] == "paper")]
    data["categorical_bias"] = grouped.of_categorical_bias(by_language)
found = []
for probe, of_probe in data.items():
    asked = tracked(grouped.ask(of_probe), None, "models", probe)
    found.append(mixed_effects_fits.answers(model, probe, asked, lme4.fit, chosen)[0])
fits = pd.concat(found)
store.write_table(snakemake.output[0], mixed_effects_fits.FITS, fits, made)
log.info("%d models of %s.", len(fits), " and ".join(data))
