"""Exchange terms in the texts of a corpus (rule swap_corpus)."""

from herbarium.core import resources, store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.training import corpora, country_swapping, swapping

made = begin(snakemake)
given, params, name = snakemake.input, snakemake.params, snakemake.wildcards.corpus
before = store.read_frame(given.corpus, corpora.CORPUS.name)
texts, two_sided = before["text"].tolist(), params.entry["sides"] == "two"
words, *names = given.lists
if names:
    names = resources.read_words(*names)
    texts = [swapping.anonymised(text, names) for text in texts]
match params.entry["terms"]:
    case "gender":
        swapped = swapping.corpus(texts, swapping.read_pairs(words), two_sided)
    case "gender_published":
        swapped = swapping.corpus(texts, swapping.read_directed(words), two_sided)
    case "countries":
        swapped = country_swapping.corpus(texts, country_swapping.read_terms(words), params.seed, two_sided)
after = corpora.as_divided(swapped, before)
store.write_table(snakemake.output.texts, corpora.CORPUS, after, made)
store.write_csv(snakemake.output.table, after, made)
is_swapped = after["side"] == swapping.SWAPPED
log.info(
    "%s: %d of %d texts have terms: %d were exchanged, of which %d may be wrong.",
    name, is_swapped.sum(), len(before), after["n_swapped"].sum(), after["n_ambiguous"].sum(),
)  # fmt: skip
