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
alignment = spaces.align(language, pivot, train, test, measured, params.where, random)
made |= {
    "losses": alignment.losses,
    "n_train": alignment.n_train,
    "n_asked": alignment.n_asked,
    "n_unknown": test["source"].nunique() - len(alignment.translations),
    "dimensions": language.vectors.shape[1],
}
aligned = pd.DataFrame({"word": alignment.space.words, "vector": list(alignment.space.vectors)})
store.write_table(output.aligned, spaces.ALIGNED, aligned, made)
controls = pd.DataFrame({"w": [w.ravel() for w in alignment.controls]})
store.write_table(output.controls, spaces.CONTROLS, controls, made)
store.write_table(output.translations, spaces.TRANSLATIONS, alignment.translations, made)
log.info("%d of %d pairs fitted; %d steps.", alignment.n_train, alignment.n_asked, len(alignment.losses) - 1)
