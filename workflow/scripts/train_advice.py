"""Train a model to answer questions after each type of intervention (rule train_advice)."""

from pathlib import Path

import numpy as np
import torch

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.models import devices, loading, saving, tokenizer_files
from herbarium.training import advice

made = begin(snakemake)
torch.set_num_threads(1)  # on a CPU, sums of another number of threads round otherwise
device = devices.choose(snakemake.resources.gpu)
given, params, name = snakemake.input, snakemake.params, snakemake.wildcards.model
base = store.read_record(given.base)
folder = loading.folder_of(base)
tokenizer = tokenizer_files.load_compared(base, folder)
takes = base["max_tokens"], base["lowercase"]
questions = advice.questions(tokenizer, store.read_frame(given.stimuli, "interventions_stimuli"), *takes)
squad = advice.squad(tokenizer, given.squad, *takes) if given.squad else None
own_seed = int(stream(params.seed, "advice", base["name"], params.training_seed).integers(2**31))
model = loading.load_recorded(base, folder).to(device)
history = advice.train(model, tokenizer, questions, squad.pairs if squad else None, params.settings, own_seed, name)
target = Path(snakemake.output.weights[0]).parent
with store.atomic_folder(target) as written:
    saving.save(written, model, tokenizer)
n_texts = np.bincount(questions.types, minlength=len(advice.TYPES)).tolist()
training = {
    "settings": params.settings,
    "history": history,
    "texts": dict(zip(advice.TYPES, n_texts, strict=True)),
    "questions_left_out": questions.n_left_out,
    "squad": squad
    and {
        "questions": len(squad.pairs.token_ids),
        "without_answer": squad.n_without_answer,
        "left_out": squad.n_left_out,
    },
}
saving.write_record(snakemake.output.record, name, target, devices.name(device), made, training=training)
log.info("%s: %d texts, %d questions left out.", name, len(questions.types), questions.n_left_out)
