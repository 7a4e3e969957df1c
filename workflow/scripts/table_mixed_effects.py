"""Compare mixed effects as published with our numbers, and lay these out as tables (rule table_mixed_effects)."""

import pandas as pd

from herbarium.core import resources, store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.mixed_effects import published as beside_ours
from herbarium.metrics.mixed_effects import stimuli
from herbarium.metrics.mixed_effects.calibration import Planted, calibration
from herbarium.models.kinds import Kind
from herbarium.models.treated import Treated
from herbarium.statistics.agreement import PUBLISHED, marked
from herbarium.statistics.calibration import CALIBRATION

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
lists = {
    name: stimuli.lists_from(store.read_record(path)) for name, path in zip(params.names, given.designs, strict=True)
}
observed = [
    (model, name, store.read_frame(path, "mixed_effects_observations"))
    for (model, name), path in zip(params.measured, given.observations, strict=True)
]
fits = store.read_frame(given.fits, "adjusted_fits")
study = beside_ours.Study(
    fits=fits[fits["data"].isin(lists)],
    bins=store.read_frames(given.bins, "mixed_effects_bins"),
    counts=pd.concat(
        beside_ours.sentences(model, name, lists[name], observations) for model, name, observations in observed
    ),
    families=beside_ours.families(lists["traits"]) if "traits" in lists else {},
    causal=params.causal,
    treated=[Treated(**entry) for entry in params.treated],
)
figures = resources.read_table(given.published, ["table", "value"])
beside = {}
for name, of_file in beside_ours.TABLES.items():
    table = beside_ours.beside(figures, study, of_file)
    beside[name] = marked(table, beside_ours.reasons(table, figures, params.others))
tables = beside | {"scores": study.fits, "bins": study.bins, "sentences": study.counts}
for name, table in tables.items():
    store.write_csv(output[name], table, made)
store.write_table(output.beside, PUBLISHED, beside_ours.published(figures, beside.values()), made)
kinds = {model: Kind.causal if model in params.causal else Kind.masked for model, _ in params.measured}
planted = [
    Planted(model, kinds[model], name, params.planted[model], lists[name], observations)
    for model, name, observations in observed
    if params.planted[model] is not None
]
for path in output.calibration:  # none without planted models
    store.write_table(path, CALIBRATION, calibration(fits, planted, params.seed), made)
log.info("%d figures compared with published ones.", sum(map(len, beside.values())))
