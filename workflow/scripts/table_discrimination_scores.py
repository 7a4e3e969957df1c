"""Lay out discrimination scores as tables, with those of planted models (rule table_discrimination_scores)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.discrimination_scores import calibration, numbers, stimuli
from herbarium.statistics.calibration import CALIBRATION

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
tidy = store.read_frames(given.numbers, "tidy")
store.write_csv(output.numbers, tidy[numbers.COLUMNS], made)
observed = {
    tuple(place): store.read_frame(path, stimuli.OBSERVATIONS.name)
    for place, path in zip(params.measured, given.observations, strict=True)
}
decisions, prompts = [], []
for (model, name), table in observed.items():
    effects, place = params.effects[name], {"unit": name, "model": model}
    within = numbers.contrasts(table, effects).rename_axis("decision").reset_index()
    decisions.append(within.melt("decision", var_name="group", value_name="difference").assign(**place))
    persons = stimuli.persons(table, **effects)
    prompts.append(table.drop(columns="person").assign(person=persons.agg(", ".join, axis=1), **place))
store.write_csv(output.decisions, pd.concat(decisions)[numbers.OF_DECISIONS], made)
store.write_csv(output.prompts, pd.concat(prompts)[["unit", "model", *stimuli.OBSERVATIONS.fields.names]], made)
for path in output.calibration:  # none without planted models
    of_planted = {tuple(place): observed[tuple(place)] for place in params.learned}
    rows = calibration.rows(tidy, params.planted, of_planted, params.effects)
    store.write_table(path, CALIBRATION, rows, made)
log.info("%d numbers.", len(tidy))
