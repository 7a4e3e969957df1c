"""Train a model on some questions, and estimate what all of its training to take advice will take (rule
sample_interventions)."""

import numpy as np

from herbarium.core import store
from herbarium.core.costs import TRAIN, write
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.models import devices, saving
from herbarium.training import advice, costs

made = begin(snakemake)
given, params, name = snakemake.input, snakemake.params, snakemake.wildcards.model
settings, title = params.settings, f"{name} training"
started = costs.language_model(store.read_record(given.model), devices.choose(snakemake.resources.gpu))
takes = started.record["max_tokens"], started.record["lowercase"]
questions = advice.questions(started.tokenizer, store.read_frame(given.stimuli, "interventions_stimuli"), *takes)
squad = advice.squad(started.tokenizer, given.squad, *takes).pairs if given.squad else None
n_texts = len(questions.types)
n_asked, n_answered = advice.shares(settings["batch_size"], squad is not None)
# every text also has its probabilities before training
trainings = costs.Trainings([n_texts], [n_texts], settings["epochs"], n_asked)
# whole questions, whose texts are neighbours
chosen = stream(params.seed, "estimate", name).permutation(n_texts // advice.TEXTS)[: costs.SAMPLE // advice.TEXTS]
rows = (advice.TEXTS * chosen[:, None] + np.arange(advice.TEXTS)).ravel()
lengths = np.array([len(questions.pairs.token_ids[row]) for row in rows])
of_squad = np.mean([len(ids) for ids in squad.token_ids]) if squad else 0.0


def whole(n):
    """At least n texts, of whole questions."""
    return -(-n // advice.TEXTS) * advice.TEXTS


def train(n):
    asked = advice.Questions(questions.pairs.of(rows[: whole(n)]), questions.types[rows[: whole(n)]], 0)
    advice.train(started.model, started.tokenizer, asked, squad, settings | {"epochs": 1}, params.seed, title)


def tokens(n):
    batches = costs.in_order(whole(n), n_asked)
    return costs.padded_tokens(lengths, batches) + len(batches) * n_answered * of_squad


row = trainings.counted(TRAIN, len(saving.FILES) + 1)
row |= trainings.measured(train, tokens, len(rows), started, title, evaluates=True) | {"bytes": started.bytes}
write(snakemake.output[0], [row], name, f"recipes/{params.recipe}", made)
