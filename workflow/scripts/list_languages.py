"""List the words of a language whose vectors are needed (rule list_languages)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.languages import lists, stimuli
from herbarium.vectors.tables import WORDS

made = begin(snakemake)
params, language = snakemake.params, snakemake.wildcards.language
# for the whole space: the meanings of words are the same in all of its languages
dictionaries = [
    (of["language"], of["pivot"], table)
    for of in params.alignments
    for table in lists.read_dictionaries(of["train"], of["test"])
]
concepts = {word: of for (spoken, word), of in stimuli.concepts(dictionaries).items() if spoken == language}
entry = params.entry
further = lists.read_vocabulary(entry["vocabulary"]) if entry["vocabulary"] else []
of_lists = lists.read(entry["lists"], entry["format"], entry["code"])
words = stimuli.words(of_lists, concepts, concepts, further)
store.write_table(snakemake.output[0], WORDS, words, made)
log.info("%d words.", len(words))
