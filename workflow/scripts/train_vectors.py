"""Train word vectors: GloVe or GN-GloVe (rule train_vectors)."""

import time

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.training import glove
from herbarium.training.cooccurrence import COOCCURRENCES, VOCABULARY, Cooccurrences
from herbarium.vectors import pairs
from herbarium.vectors.tables import WORD_VECTORS

made = begin(snakemake)
given, entry, name = snakemake.input, snakemake.params.entry, snakemake.wildcards.source
vocabulary = store.read_frame(given.vocabulary, VOCABULARY.name)
table = store.read_table(given.records, COOCCURRENCES.name)
records = Cooccurrences(*(table[column].to_numpy() for column in Cooccurrences._fields))
facts, terms = {}, None
if given.lists:
    listed = pairs.read(given.lists)
    gendered_pairs = pairs.of_one_gender(listed)
    gender = glove.gender_of(vocabulary["word"], gendered_pairs)
    terms = glove.Terms(gender, *(entry[key] for key in ("definition", "variant", "lambda_d", "lambda_e")))
    facts = {
        "n_pairs_listed": len(listed),
        "n_pairs_of_both_genders": len(listed) - len(gendered_pairs),
        "n_pairs": len(gender.pairs),
        "n_masculine": len(gender.masculine),
        "n_feminine": len(gender.feminine),
    }
start = time.monotonic()
trained = glove.train(
    records, len(vocabulary), entry["dimensions"], entry["iterations"], snakemake.params.seed, terms, entry["eta"]
)
seconds = time.monotonic() - start
vectors = pd.DataFrame({**vocabulary, "vector": list(trained.vectors)})
store.write_table(snakemake.output.vectors, WORD_VECTORS, vectors, made)
store.write_csv(snakemake.output.losses, trained.losses, made)
record = {
    "entry": entry,
    "n_words": len(vocabulary),
    "n_cooccurrences": len(records.x),
    "seconds": round(seconds, 1),
    "losses": trained.losses.to_dict("records"),
    **facts,
}
store.write_record(snakemake.output.record, record, made)
log.info("%s: %d words, J %.4g, before %.4g.", name, len(vocabulary), *trained.losses["j"].iloc[[-1, 0]])
if facts:
    log.info(
        "%(n_pairs)d of %(n_pairs_listed)d pairs have both words in the vocabulary. %(n_pairs_of_both_genders)d are "
        "left out: a word of theirs is masculine in one and feminine in another.",
        facts,
    )
