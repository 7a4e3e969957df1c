"""Find the vectors of words in a sample of texts for some seconds, and estimate what all of them will take (rule
sample_represent)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.costs import timed, write
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.models import devices, loading
from herbarium.scoring.costs import named, placed
from herbarium.vectors.tables import WORDS

made = begin(snakemake)
given, params, (source, name) = snakemake.input, snakemake.params, snakemake.wildcards
words = store.read_frame(given.words, WORDS.name)
row = {"stage": "represent", "jobs": 1, "files": 1, "sentences": len(words), "sampled": 0}
if given.get("model"):  # of one that the workflow trains, nothing is known before
    import torch

    from herbarium.vectors import representations

    torch.set_num_threads(snakemake.threads)
    device = devices.choose(snakemake.resources.gpu)
    record = store.read_record(given.model)
    folder = loading.folder_of(record)
    model, start_seconds = placed(record, device, "float32")
    tokenizer = loading.load_tokenizer(folder, record["name"], record["tokenizer"])
    limits = record["max_tokens"], record["lowercase"]
    # a text runs once, however many of its words are asked for
    texts = words.drop_duplicates("text")
    order = stream(params.seed, "estimate", source, name).permutation(len(texts))

    def represent(n):
        states, shown, bounds, _ = representations.asked(model, params.layers, texts.iloc[order[:n]], source)
        return representations.represent(states, tokenizer, device, shown, bounds, *limits, f"{source} vectors")

    n, seconds, vectors = timed(represent, len(texts), 256)
    log.info("%s: %.0f texts per second.", source, n / seconds)
    hours = (start_seconds + seconds * len(texts) / n) / 3600
    row |= {"sampled": len(words) * n // len(texts), "inputs": len(texts), "hours": hours, "longest_job": hours}
    row |= {"bytes": vectors.nbytes * len(words) // n, "device": named(device, snakemake.threads)}
write(snakemake.output[0], [row], source, f"words/{name}", made)
