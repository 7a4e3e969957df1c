"""Move a language into the space of another, and search for translations there (rule align_languages)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.metrics.languages import lists, spaces
from herbarium.vectors import tables

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
language, pivot = (
    spaces.of_source(store.read_frame(words, tables.WORDS.name)["text"], tables.read(vectors), source)
    for words, vectors, source in zip(given.words, given.vectors, params.sources, strict=True)
)
designs = list(map(store.read_record, given.designs))
train, test = map(lists.dictionary, designs[0]["dictionaries"][snakemake.wildcards.alignment])
random = stream(params.seed, "languages", *snakemake.wildcards)
measured = [lists.from_record(design).words for design in designs]
found = spaces.align(language, pivot, train, test, measured, params.where, random)
made |= {
    "losses": found.losses,
    "n_train": found.n_train,
    "n_asked": found.n_asked,
    "n_unknown": test["source"].nunique() - len(found.translations),
    "dimensions": language.vectors.shape[1],
}
aligned = pd.DataFrame({"word": found.space.words, "vector": list(found.space.vectors)})
store.write_table(output.aligned, spaces.ALIGNED, aligned, made)
controls = pd.DataFrame({"w": [w.ravel() for w in found.controls]})
store.write_table(output.controls, spaces.CONTROLS, controls, made)
store.write_table(output.translations, spaces.TRANSLATIONS, found.translations, made)
log.info("%d of %d pairs fitted; %d steps.", found.n_train, found.n_asked, len(found.losses) - 1)
