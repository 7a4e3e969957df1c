"""The mixed-effects study as published beside our numbers, and our numbers as tables (rule table_mixed_effects)."""

import pandas as pd

from herbarium.core import resources, store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.mixed_effects import published as beside_ours
from herbarium.metrics.mixed_effects import stimuli
from herbarium.metrics.mixed_effects.bins import BINS

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
lists = {name: stimuli.read(folder) for name, folder in params.probes.items()}


def together(paths, schema, columns):
    tables = [store.read_frame(path, schema) for path in paths]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=columns)


counts = [
    beside_ours.sentences(model, name, lists[name], store.read_frame(path, "observations"))
    for (model, name), path in zip(params.observed, given.observations, strict=True)
]
study = beside_ours.Study(
    fits=store.read_frame(given.fits, "mixed_effects_adjusted"),
    bins=together(given.bins, "mixed_effects_bins", BINS.fields.names),
    counts=pd.concat(counts, ignore_index=True) if counts else pd.DataFrame(columns=beside_ours.COUNTS),
    cps=together(given.crows_pairs, "tidy", ["model", "group"]),
    families=beside_ours.families(lists["traits"]) if "traits" in lists else {},
    causal=params.causal,
)
published = resources.read_table(given.published, ["table", "value"])
tables = {name: beside_ours.beside(published, study, of_file) for name, of_file in beside_ours.TABLES.items()}
tables |= {"scores": study.fits, "bins": study.bins, "sentences": study.counts}
for name, table in tables.items():
    store.write_csv(output[name], table, made)
log.info("%d figures beside published ones.", sum(len(tables[name]) for name in beside_ours.TABLES))
