"""Read the lists of a language, and list the words whose vectors are needed (rule list_languages)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.languages import lists, stimuli
from herbarium.vectors.tables import WORDS

made = begin(snakemake)
params, output, language = snakemake.params, snakemake.output, snakemake.wildcards.language
# for the whole space: the meanings of words are the same in all of its languages
dictionaries = {
    name: lists.read_dictionaries(alignment["train"], alignment["test"])
    for name, alignment in params.alignments.items()
}
links = [
    (concept["language"], concept["pivot"], table)
    for name, concept in params.alignments.items()
    for table in dictionaries[name]
]
concepts = {word: entry for (spoken, word), entry in stimuli.concepts(links).items() if spoken == language}
entry = params.entry
further = lists.read_vocabulary(entry["vocabulary"]) if entry["vocabulary"] else []
of_lists = lists.read(entry["lists"], entry["format"], entry["code"])
words = stimuli.words(of_lists, concepts, concepts, further)
store.write_table(output.words, WORDS, words, made)
mapped = {
    name: list(map(lists.rows, dictionaries[name]))
    for name, entry in params.alignments.items()
    if entry["language"] == language
}
store.write_record(output.design, lists.as_record(of_lists) | {"dictionaries": mapped}, made)
log.info("%d words.", len(words))
