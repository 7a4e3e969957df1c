"""Train a model for one more epoch on its toxic sentences, and score the probe anew (rule train_toxic)."""

from pathlib import Path

import numpy as np
import torch

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.metrics.herb import stimuli
from herbarium.models import devices, loading, saving
from herbarium.scoring import answering, planning, quantities, tuning
from herbarium.training import continued

made = begin(snakemake)
device = devices.choose(snakemake.resources.gpu)
given, settings, epoch = snakemake.input, snakemake.params.settings, int(snakemake.wildcards.epoch)
record = store.read_record(given.record)
name, kind, folder = record["name"], record["kind"], loading.folder_of(record)
title = f"{name} epoch {epoch}"

torch.set_num_threads(1)  # sums of another number of threads round otherwise, and every later epoch would differ
tokenizer = loading.load_tokenizer(folder, name)
sentences = store.read_table(given.sentences, "toxic_sentences")
model = loading.load(folder if epoch == 1 else Path(given.weights[0]).parent, kind, "float32", name).to(device)
loss = continued.train_epoch(
    model,
    continued.examples(tokenizer, record["max_tokens"], record["lowercase"], sentences),
    settings["learning_rate"],
    settings["batch_size"],
    tokenizer.pad_token_id,
    stream(snakemake.params.seed, "toxic", name, epoch),
    f"{title} training",
)
log.info("%s: mean loss %.4f over %d sentences.", title, loss, len(sentences))
trained = Path(snakemake.output.weights[0]).parent
with store.atomic_folder(trained) as written:
    saving.save(written, model, tokenizer)

torch.set_num_threads(snakemake.threads)
model = answering.place(loading.load(trained, kind, record["dtype"], name), device)
pass_tokens = tuning.pass_tokens(store.read_json(given.passes), device, name) if given.passes else None


def score(*paths):
    """The answers of a shard's sentences of the published wording, by request, and these sentences."""
    sentences = store.read_frame(paths[0], "herb_probe", ["sentence_id", "frame"])
    wanted = sentences.loc[sentences["frame"].isin(frames), "sentence_id"].to_numpy()
    plan = planning.Block(*map(store.read_table, paths[1:], ("plan_inputs", "plan_requests", "plan_sentences")))
    plan = planning.part(plan, wanted)
    answers = np.empty(len(plan.requests))
    shard_title = f"{title} {Path(paths[0]).stem}"
    answers[plan.requests["request"].to_numpy()] = answering.answer(
        model, device, plan.inputs, plan.requests, shard_title, pass_tokens
    )
    return answers, plan.sentences


frames = [stimuli.frame_text(tuple(frame)) for frame in (stimuli.BARE_NAME, *snakemake.params.frames)]
made |= {
    "model": record,
    "device": devices.name(device),
    "toxic": {**settings, "epoch": epoch, "loss": loss},
}
plans = map(score, given.probe, given.inputs, given.requests, given.plan)
quantities.write_scores(snakemake.output.scores, plans, made)
