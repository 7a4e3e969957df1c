"""Fine-tune a model to predict occupations from biographies, and apply it (rule finetune_biographies)."""

import shutil
from pathlib import Path

import torch

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.metrics.biographies import learning, stimuli
from herbarium.models import devices
from herbarium.scoring import answering, classifiers
from herbarium.training import classification
from herbarium.vectors.tables import WORDS

made = begin(snakemake)
torch.set_num_threads(1)  # on a CPU, sums of another number of threads round otherwise
device = devices.choose(snakemake.resources.gpu)
given, params, precision = snakemake.input, snakemake.params, snakemake.params.precision
task, name, form, number = (snakemake.wildcards[key] for key in ("name", "model", "form", "set"))
title = f"{task} {name} {form} set {number}"
design = store.read_frame(given.design, stimuli.DESIGN.name)
design["text"] = store.read_frame(given.texts, WORDS.name)["text"].to_numpy()
usable, _ = learning.usable(design, params.min_texts)
usable = usable[usable["form"] == form]
split = learning.divided(usable, params.sets, task, params.seed)
is_own = split.of_set == int(number) - 1
learned, label = usable[split.is_train][is_own], split.label[split.is_train][is_own]


def random(what):
    # without the model's name and the form of the texts: what is compared has the same order, dropout and initial
    # weights
    return stream(params.seed, "biographies", task, what, number)


to_stop_by = learning.held_out(label, params.training["validation_share"], random("validation"))
texts = learned["text"]
sample = texts.iloc[random("precision").permutation(len(texts))[: precision["sentences"]]]
place = Path(snakemake.output[0])
tuned = classification.tune(
    store.read_record(given.model),
    split.names,
    (texts[~to_stop_by], label[~to_stop_by]),
    (texts[to_stop_by], label[to_stop_by]),
    sample,
    params.training,
    precision,
    int(random("finetune").integers(2**31)),
    device,
    place.with_name(f".{place.stem}"),
    [
        params.code,
        *(store.read_header(*table) for table in ((given.design, stimuli.DESIGN.name), (given.texts, WORDS.name))),
    ],
    title,
)
test = usable[~split.is_train]
encoded, truncated = classifiers.encode_and_cut(tuned.tokenizer, test["text"], **tuned.limits)
model = answering.place(tuned.model.eval(), device)
predicted = classifiers.logits(model, device, encoded, title).argmax(axis=1)
rows = test[["biography"]].assign(occupation=[split.names[one] for one in predicted], truncated=truncated)
made |= {"training": tuned.training, "device": devices.name(device)}
store.write_table(snakemake.output[0], learning.PREDICTIONS, rows, made)
shutil.rmtree(tuned.checkpoints)
log.info(
    "%s: %d texts to train on, %.3f of %d predicted correctly.",
    title,
    len(texts),
    (predicted == split.label[~split.is_train]).mean(),
    len(rows),
)
