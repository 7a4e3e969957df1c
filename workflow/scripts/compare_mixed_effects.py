"""Compare bias scores of a set of stimuli before and after a change of a model (rule compare_mixed_effects)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.mixed_effects import stimuli
from herbarium.metrics.mixed_effects.changes import changes
from herbarium.statistics.changes import CHANGES
from herbarium.statistics.fits import FITS

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
observed = [store.read_frame(path, stimuli.OBSERVATIONS.name) for path in given.observations]
change_rows = changes(
    snakemake.wildcards.name,
    params.compared,
    store.read_frames(given.fits, FITS.name),
    dict(zip(params.models, observed, strict=True)),
    stimuli.lists_from(store.read_record(given.design)),
)
store.write_table(snakemake.output[0], CHANGES, change_rows, made)
log.info("%d changes.", len(change_rows))
