"""Fine-tune a model for some seconds to predict occupations, and estimate what all of its trainings will take (rule
sample_biographies)."""

from herbarium.core import store
from herbarium.core.costs import FINETUNE, write
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.metrics.biographies import costs as of_biographies
from herbarium.metrics.biographies import stimuli
from herbarium.models import devices
from herbarium.scoring import classifiers
from herbarium.training import costs
from herbarium.vectors.tables import WORDS

made = begin(snakemake)
given, params, (task, name) = snakemake.input, snakemake.params, snakemake.wildcards
training, design = params.training, store.read_frame(given.design, stimuli.DESIGN.name)
trainings = of_biographies.trainings(design, params.sets, params.min_texts, training)
row = trainings.counted(FINETUNE, 1)
if given.get("model"):  # of one that the workflow trains, nothing is known before
    device = devices.choose(snakemake.resources.gpu)
    started = costs.classifier(store.read_record(given.model), device, sorted(design["occupation"].unique()))
    texts = store.read_frame(given.texts, WORDS.name)["text"]
    sample = costs.drawn(
        texts[(design["part"] == stimuli.TRAIN).to_numpy()], stream(params.seed, "estimate", task, name)
    )
    max_tokens = min(training["max_tokens"], started.record["max_tokens"])
    encoded = classifiers.encode(started.tokenizer, sample, max_tokens, started.record["lowercase"])
    row |= trainings.measured(
        costs.classifying(started, encoded, training["batch_size"]),
        costs.unsorted(encoded, training["batch_size"]),
        len(sample),
        started,
        f"{task} {name}",
    )
write(snakemake.output[0], [row], name, f"biographies/{task}", made)
