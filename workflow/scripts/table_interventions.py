"""Lay out preferences as tables, with those of planted models and of the authors' own (rule table_interventions)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.interventions import calibration, lei, numbers
from herbarium.statistics.calibration import CALIBRATION

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
tidy = store.read_frames(given.numbers, "tidy")
observed = [store.read_frame(path, numbers.OBSERVATIONS.name) for path in given.observations]
by_place = {tuple(place): table for place, table in zip(params.measured, observed, strict=True)}
store.write_csv(output.numbers, tidy[numbers.COLUMNS], made)
store.write_csv(
    output.subjects, pd.concat([numbers.of_subjects(*place, table) for place, table in by_place.items()]), made
)
answers = [table.assign(model=model, unit=name) for (model, name), table in by_place.items()]
store.write_csv(output.answers, pd.concat(answers)[["unit", "model", *numbers.OBSERVATIONS.fields.names]], made)
if output.get("stored"):  # where questions are the authors'
    stored = [
        numbers.stored(name, *lei.stored(path), params.level)
        for name, path in zip(params.of_authors, given.of_authors, strict=True)
    ]
    store.write_csv(output.stored, pd.concat(stored, ignore_index=True), made)
for path in output.calibration:  # none without planted models
    rows = calibration.rows(tidy, params.planted, by_place, params.seed)
    store.write_table(path, CALIBRATION, rows, made)
log.info("%d numbers.", len(tidy))
