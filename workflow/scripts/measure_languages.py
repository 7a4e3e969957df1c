"""Measure inBias of languages on their own and in the spaces of their pivots (rule measure_languages)."""

import numpy as np
import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.languages import changes, items, lists, numbers, spaces
from herbarium.metrics.languages.figures import map as of_map
from herbarium.statistics.changes import CHANGES
from herbarium.statistics.items import ITEMS
from herbarium.statistics.tidy import TIDY
from herbarium.vectors import tables

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
name = snakemake.wildcards.space
of_lists = {
    language: lists.from_record(store.read_record(design))
    for language, design in zip(params.models, given.designs, strict=True)
}
own_spaces = {
    language: spaces.of_source(
        store.read_frame(words, tables.WORDS.name)["text"], tables.read(vectors), params.models[language]
    )
    for language, words, vectors in zip(params.models, given.words, given.vectors, strict=True)
}
aligned, controls, translations = {}, {}, {}
for key, moved, fitted, looked_for in zip(
    map(tuple, params.alignments), given.aligned, given.controls, given.translations, strict=True
):
    table = store.read_frame(moved, spaces.ALIGNED.name)
    aligned[key] = spaces.Space(pd.Index(table["word"]), np.stack(table["vector"]))
    d = aligned[key].vectors.shape[1]
    controls[key] = np.stack(store.read_frame(fitted, spaces.CONTROLS.name)["w"]).reshape(-1, d, d)
    fit = store.read_header(looked_for, spaces.TRANSLATIONS.name)
    translations[key] = store.read_frame(looked_for, spaces.TRANSLATIONS.name), fit
tidy, pairs = numbers.measure(
    name,
    params.models,
    of_lists,
    own_spaces,
    aligned,
    controls,
    translations,
    params.level,
    params.correction,
    params.seed,
)
store.write_table(output.numbers, TIDY, tidy, made)
store.write_table(output.pairs, numbers.PAIRS, pairs, made)
store.write_table(output.of_items, ITEMS, items.of_items(pairs), made)
if output.get("changes"):
    groups = {(language,): space for language, space in own_spaces.items()} | aligned
    changed = changes.changes(name, params.compared, params.models, of_lists, groups, tidy)
    store.write_table(output.changes, CHANGES, changed, made)
store.write_table(output.map, of_map.MAP, of_map.table(name, of_lists, own_spaces, aligned), made)
store.write_table(output.missing, numbers.MISSING, numbers.missing(name, of_lists, own_spaces), made)
log.info("%d numbers of %d pairs.", len(tidy), len(pairs))
