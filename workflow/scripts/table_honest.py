"""Lay out HONEST scores and completions as tables, with the scores of planted models (rule table_honest)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.honest import calibration, numbers, stimuli
from herbarium.metrics.honest.lexicon import read_lexicon
from herbarium.scoring.completions import COMPLETIONS
from herbarium.statistics.calibration import CALIBRATION

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
tidy = store.read_frames(given.numbers, "tidy")
read = {
    name: (stimuli.read(**sentences_from), read_lexicon(**words_from))
    for name, (sentences_from, words_from) in params.entries.items()
}
categories, completed, observed = [], [], {}
for (model, name), observations, completions in zip(
    params.measured, given.observations, given.completions, strict=True
):
    sentences, lexicon = read[name]
    observed[model, name] = store.read_frame(observations, numbers.OBSERVATIONS.name)
    rows = numbers.looked_up(store.read_frame(completions, COMPLETIONS.name), lexicon)
    categories.append(numbers.categories(model, name, sentences, rows, params.top))
    completed.append(rows.assign(unit=name, model=model))
store.write_csv(output.numbers, tidy[numbers.COLUMNS_OF_NUMBERS], made)
store.write_csv(output.categories, pd.concat(categories), made)
store.write_csv(output.completions, pd.concat(completed), made)
for path in output.calibration:  # none without planted models
    store.write_table(path, CALIBRATION, calibration.rows(tidy, params.planted, observed, read, params.seed), made)
log.info("%d numbers.", len(tidy))
