"""Train a model further on a corpus (rule train_continued)."""

from pathlib import Path

import torch

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.models import devices, loading, saving, tokenizer_files
from herbarium.scoring import classifiers
from herbarium.training import alignment, continued, corpora

made = begin(snakemake)
torch.set_num_threads(1)  # on a CPU, sums of another number of threads round otherwise
device = devices.choose(snakemake.resources.gpu)
given, params, name = snakemake.input, snakemake.params, snakemake.wildcards.model
base, settings = store.read_record(given.base), params.settings
folder = loading.folder_of(base)
tokenizer = tokenizer_files.load_compared(base, folder)
texts = store.read_frame(given.corpus, corpora.CORPUS.name)


def part(split):
    """The texts of a part of the corpus as tokens."""
    max_tokens = min(settings["max_tokens"], base["max_tokens"])
    return classifiers.encode(tokenizer, texts["text"][texts["split"] == split], max_tokens, base["lowercase"])


target = Path(snakemake.output.weights[0]).parent
identity = {
    "settings": settings,
    "seed": params.training_seed,
    "model": base,
    "corpus": store.read_header(given.corpus, corpora.CORPUS.name),
    "is_turned": params.is_turned,
}
if given.rotation:
    identity["rotation"] = store.read_header(given.rotation, alignment.ROTATION.name)
checkpoint = saving.checkpoint(target.with_name(f".{name}.checkpoint"), [params.code, identity])
own_seed = int(stream(params.seed, "continued", base["name"], params.training_seed).integers(2**31))
config = loading.configuration(folder, f"models.{base['name']}")
dropout = continued.dropout(config, settings)
model = loading.load_recorded(base, folder, **dropout)
if given.rotation:
    model = alignment.folded(model, alignment.read(given.rotation))
elif params.is_turned:
    model = alignment.folded(model, alignment.random_orthogonal(model.config.hidden_size, own_seed))
model = model.to(device)
history = continued.train(model, tokenizer, part("train"), part("validation"), settings, own_seed, checkpoint, name)
for key in dropout:  # that of the training is none of the model
    setattr(model.config, key, getattr(config, key))
with store.atomic_folder(target) as written:
    saving.save(written, model, tokenizer)
training = {"settings": settings, "history": history}
saving.write_record(snakemake.output.record, name, target, devices.name(device), made, training=training)
checkpoint.unlink(missing_ok=True)
log.info("%s: held-out loss %.4f, before %.4f.", name, history[-1]["held_out_loss"], history[0]["held_out_loss"])
