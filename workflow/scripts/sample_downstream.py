"""Estimate on a sample of a task's texts what its classifiers will take (rule sample_downstream)."""

import tempfile
import time
from pathlib import Path

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.costs import FINETUNE, timed, write
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.metrics.downstream import costs as of_tasks
from herbarium.models import devices, loading
from herbarium.scoring import answering, classifiers, costs, perturbation, predictions, tuning
from herbarium.training import costs as of_trainings

made = begin(snakemake)
given, params, task = snakemake.input, snakemake.params, snakemake.wildcards.task
training, threads = params.training, snakemake.threads
examples = store.read_frame(given.examples, "task_examples")
prefixes = store.read_frame(given.prefixes, "task_prefixes")
rows = of_tasks.counted(examples, len(prefixes), training, params.shards)
if given.model:  # of one that the workflow trains, nothing is known before
    import torch

    device = devices.choose(snakemake.resources.gpu)
    record = store.read_record(given.model)
    name, folder = record["name"], loading.folder_of(record)
    title, random = f"{task} {name}", stream(params.seed, "estimate", task, name)
    tokenizer = loading.load_tokenizer(folder, name, record["tokenizer"])
    # the number format of a classifier is not known before it is trained
    dtype = tuning.EXACT if record["dtype"] == tuning.AUTO else record["dtype"]
    limits = {"max_tokens": min(params.max_tokens, record["max_tokens"]), "lowercase": record["lowercase"]}
    if training:
        begun = of_trainings.classifier(record, device, classifiers.CLASSES)
        model, start_seconds = begun.model, begun.seconds
        learned = examples.loc[examples["split"] == "train", "text"]
        encoded = classifiers.encode(tokenizer, of_trainings.drawn(learned, random), **limits)
        train = of_trainings.classifying(begun, encoded, training["batch_size"])
        tokens = of_trainings.unsorted(encoded, training["batch_size"])
        trainings = of_tasks.trainings(examples, training)
        rows[FINETUNE] |= trainings.measured(train, tokens, len(encoded.lengths), begun, title)
        rows[FINETUNE]["bytes"] = training["sets"] * begun.bytes
    else:
        start = time.perf_counter()
        model = classifiers.load(folder, name, dtype)
        start_seconds = time.perf_counter() - start
    torch.set_num_threads(threads)
    model = answering.place(model.to(getattr(torch, dtype)), device)
    pass_tokens = answering.tokens_a_pass(model, device)
    texts = examples.loc[examples["split"] == "test", "text"].tolist()
    pairs = of_tasks.drawn(len(texts), prefixes, random)
    lengths = perturbation.chosen(tokenizer, texts, prefixes, pairs, **limits)[0]["n_tokens"].to_numpy()

    def predict(n):
        sample, encoded = perturbation.chosen(tokenizer, texts, prefixes, pairs.iloc[:n], **limits)
        return sample.assign(log_odds=classifiers.log_odds(model, device, encoded, 1, title))

    n, seconds, predicted = timed(predict, len(pairs))
    rate = of_tasks.tokens_run(lengths[:n], n, device, pass_tokens)[1] / seconds
    log.info("%s: prediction runs at %.0f tokens per second.", title, rate)
    with tempfile.TemporaryDirectory() as temporary:
        written = Path(temporary, "predictions")
        store.write_table(written, predictions.PREDICTIONS, predicted, {})
        n_bytes = written.stat().st_size / len(predicted)
    runs = training["sets"] if training else 1
    of_one = of_tasks.of_predicting(
        texts,
        prefixes,
        lengths,
        params.shards,
        device,
        pass_tokens,
        lambda n_tokens: (start_seconds + n_tokens / rate) / 3600,
    )
    rows[of_tasks.PREDICT] |= of_one | {
        **{key: runs * of_one[key] for key in ("tokens", "passes", "hours")},
        "sampled": len(pairs) * runs,
        "bytes": round(n_bytes * rows[of_tasks.PREDICT]["sentences"]),
        "device": costs.named(device, threads),
    }
write(snakemake.output[0], list(rows.values()), snakemake.wildcards.model, f"downstream/{task}", made)
