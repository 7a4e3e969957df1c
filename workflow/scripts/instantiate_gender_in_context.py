"""List the words in pairs of sentences whose vectors are needed (rule instantiate_gender_in_context)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.errors import HerbariumError
from herbarium.core.step import begin
from herbarium.metrics.gender_in_context import corpus, stimuli
from herbarium.vectors.tables import WORDS

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
sentences = store.read_frame(given.sentences, store.read_schema(given.sentences).name)
neutral = stimuli.read_neutral(given.lists)
try:
    if params.is_corpus:
        occupations = store.read_record(given.occupations)["stereotypes"]
        sentences = corpus.pairs(sentences["text"], occupations, given.words)
    words, design, left_out = stimuli.instantiate(sentences, params.word, params.stereotype, params.sides, neutral)
except HerbariumError as error:
    raise HerbariumError(f"gender_in_context.sets.{snakemake.wildcards.name}: {error}") from error
store.write_table(snakemake.output.words, WORDS, words, made)
store.write_table(snakemake.output.design, stimuli.DESIGN, design, made)
log.info("%d pairs, %d sentences.", design["pair"].nunique(), words["text"].nunique())
if left_out:
    log.warning("%d pairs left out: %s", len(left_out), "; ".join(left_out[:10]))
