"""Numbers and scores of sentences of one's own as tables to read, and those of planted models (rule
table_sentence_sets)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.drawing.style import by_strength
from herbarium.metrics.sentence_sets import calibration, formats, numbers
from herbarium.statistics.calibration import CALIBRATION

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
models = by_strength({"name": name, "planted": planted} for name, planted in params.planted.items())
table = numbers.with_contrasts(store.read_frames(given.numbers, "tidy"), params.entries, models)
observed = [store.read_frame(path, "sentence_sets_observations") for path in given.observations]
by_place = {tuple(place): of for place, of in zip(params.measured, observed, strict=True)}
places = [(*place, of_place) for place, of_place in zip(params.measured, observed, strict=True)]
store.write_csv(output.numbers, table[numbers.COLUMNS], made)
store.write_csv(output.sentences, numbers.observed(places), made)
store.write_csv(output.faults, formats.by_set(params.entries, given.faults), made)
for path in output.calibration:  # none without planted models
    store.write_table(path, CALIBRATION, calibration.rows(table, params.entries, by_place), made)
log.info("%d numbers.", len(table))
