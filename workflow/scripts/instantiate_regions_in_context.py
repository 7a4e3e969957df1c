"""List the places in sentences on regions whose vectors are needed (rule instantiate_regions_in_context)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.errors import HerbariumError
from herbarium.core.step import begin
from herbarium.metrics.regions_in_context import stimuli
from herbarium.regions import levels
from herbarium.vectors.tables import WORDS

made = begin(snakemake)
given, params, name = snakemake.input, snakemake.params, snakemake.wildcards.name
regions, words = store.read_frame(given.regions, "regions"), list(params.texts["topics"])
listed = stimuli.read_stereotypes(given.stereotypes) if given.stereotypes else None
try:
    countries, stereotypes = levels.countries(regions), None
    if listed is not None:
        stimuli.check_stereotypes(listed, "region", list(countries["region"]), "not a country of the study")
    countries = stimuli.chosen(countries, listed, params.max_regions, name, params.seed)
    if listed is not None:
        stereotypes = stimuli.listed(listed, countries, words)
    elif params.is_planted:
        stereotypes = stimuli.planted(regions, countries, words, params.seed)
    table, design = stimuli.instantiate(**params.texts, countries=countries, stereotypes=stereotypes)
except HerbariumError as error:
    raise HerbariumError(f"regions_in_context.sets.{name}.{error}") from error
store.write_table(snakemake.output.words, WORDS, table, made)
store.write_table(snakemake.output.design, stimuli.DESIGN, design, made)
log.info("%d sentences: %d descriptions, %d regions.", len(table), len(words), len(countries))
