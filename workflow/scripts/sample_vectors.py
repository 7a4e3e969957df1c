"""Train word vectors on a sample of co-occurrences, and estimate what all of the training will take (rule
sample_vectors)."""

import numpy as np

from herbarium.core import store
from herbarium.core.costs import ONE_CORE, TRAIN, timed, write
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.training import glove
from herbarium.training.cooccurrence import COOCCURRENCES, VOCABULARY, Cooccurrences
from herbarium.vectors import pairs

FIRST, FLOAT32 = 2**14, 4  # steps; bytes

made = begin(snakemake)
given, entry, name = snakemake.input, snakemake.params.entry, snakemake.wildcards.source
vocabulary = store.read_frame(given.vocabulary, VOCABULARY.name)
table = store.read_table(given.records, COOCCURRENCES.name)
records = Cooccurrences(*(table[column].to_numpy() for column in Cooccurrences._fields))
terms = None
if given.lists:
    gender = glove.gender_of(vocabulary["word"], pairs.of_one_gender(pairs.read(given.lists)))
    terms = glove.Terms(gender, *(entry[key] for key in ("definition", "variant", "lambda_d", "lambda_e")))
random = stream(snakemake.params.seed, "estimate", name)
steps, dimensions = glove.summands(records, len(vocabulary), terms), entry["dimensions"]
parameters = glove.initial(len(vocabulary), dimensions, terms, random)
squares = glove.Parameters(*map(np.ones_like, parameters))
order, v_g = random.permutation(len(steps.x)), np.zeros(max(dimensions - 1, 0))


def train(n):
    glove.epoch(parameters, squares, steps, order[:n], terms, v_g, entry["eta"], lambda _: None)


n, seconds, _ = timed(train, len(steps.x), FIRST)
n_steps = len(steps.x) * entry["iterations"]
hours = seconds / n * n_steps / 3600
row = {"stage": TRAIN, "jobs": 1, "files": 4, "sentences": n_steps, "passes": n_steps}
row |= {"sampled": n * entry["iterations"], "hours": hours, "longest_job": hours, "device": ONE_CORE}
row |= {"bytes": FLOAT32 * len(vocabulary) * dimensions}
write(snakemake.output[0], [row], name, f"corpora/{entry['corpus']}", made)
