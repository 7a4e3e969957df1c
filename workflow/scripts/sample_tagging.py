"""Train a tagger of named entities for some seconds, and estimate what all of a model's taggers will take (rule
sample_tagging)."""

from herbarium.core import store
from herbarium.core.costs import FINETUNE, write
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.metrics.tagging import words
from herbarium.metrics.tagging.sentences import SENTENCES, TEST, classes
from herbarium.models import devices
from herbarium.training import costs

made = begin(snakemake)
given, settings, (task, name) = snakemake.input, snakemake.params.training, snakemake.wildcards
sentences = store.read_frame(given.sentences, SENTENCES.name)
of_set, n_test = sentences["set"].value_counts(), int((sentences["split"] == TEST).sum())
trainings = costs.Trainings(of_set.tolist(), [n_test] * len(of_set), settings["epochs"], settings["batch_size"])
row = trainings.counted(FINETUNE, 1)
if given.get("model"):  # of one that the workflow trains, nothing is known before
    device = devices.choose(snakemake.resources.gpu)
    started = costs.classifier(store.read_record(given.model), device, classes(sentences), by_token=True)
    if settings["frozen"]:
        started.model.base_model.requires_grad_(False)
    max_tokens = min(settings["max_tokens"], started.record["max_tokens"])
    learned = sentences.loc[sentences["set"].notna(), "tokens"]
    sample = costs.drawn(learned, stream(snakemake.params.seed, "estimate", task, name))
    encoded, _ = words.encode(started.tokenizer, sample, max_tokens, started.record["lowercase"])
    row |= trainings.measured(
        costs.classifying(started, encoded, settings["batch_size"], by_token=True),
        costs.unsorted(encoded, settings["batch_size"]),
        len(sample),
        started,
        f"{task} {name}",
    )
write(snakemake.output[0], [row], name, f"tagging/{task}", made)
