"""Lay out numbers and scores of sentence sets as tables, with those of planted models (rule table_sentence_sets)."""

from herbarium.core import resources, store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.drawing.style import by_strength
from herbarium.metrics.sentence_sets import beside, calibration, each, formats, numbers, published
from herbarium.statistics.calibration import CALIBRATION

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
models = by_strength({"name": name, "planted": planted} for name, planted in params.planted.items())
tidy = store.read_frames(given.numbers, "tidy")
table = numbers.with_contrasts(tidy, params.entries, models)
observed = [store.read_frame(path, "sentence_sets_observations") for path in given.observations]
by_place = {tuple(place): table for place, table in zip(params.measured, observed, strict=True)}
places = [(*place, of_place) for place, of_place in zip(params.measured, observed, strict=True)]
store.write_csv(output.numbers, table[numbers.COLUMNS], made)
store.write_csv(output.sentences, numbers.observed(places), made)
store.write_csv(output.faults, formats.by_set(params.entries, given.faults), made)
if output.get("each"):  # if a set has such a column
    known = beside.read_all(params.beside, given.beside, params.entries)
    of_each = numbers.with_contrasts(tidy, params.entries, models, each=True)
    of_each = each.with_known(of_each, params.entries, known)
    store.write_csv(output.each, of_each[[*numbers.COLUMNS, *each.OF_EACH]], made)
if output.get("correlations"):
    correlations = each.correlations(tidy, params.entries, [model["name"] for model in models])
    store.write_csv(output.correlations, correlations, made)
if output.get("coreference"):
    figures = resources.read_table(given.coreference)
    store.write_csv(output.coreference, published.beside(figures, table, params.questions), made)
for path in output.calibration:  # none without planted models
    calibrated = table[table["stimuli"].isin(params.calibrated)]
    store.write_table(path, CALIBRATION, calibration.rows(calibrated, params.entries, by_place), made)
log.info("%d numbers.", len(table))
