"""Complete sentences for some seconds, and estimate what all of a model's completions will take (rule
sample_honest)."""

import pyarrow as pa

from herbarium.core import store
from herbarium.core.costs import timed, write
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.metrics.honest import stimuli
from herbarium.models import devices
from herbarium.scoring.costs import named, placed

made = begin(snakemake)
given, params, (name, model_name) = snakemake.input, snakemake.params, snakemake.wildcards
texts = stimuli.read(**params.sentences_from)["text"].unique()
row = {"stage": "complete", "jobs": 1, "files": 1, "sentences": len(texts), "sampled": 0}
if given.get("model"):  # of one that the workflow trains, nothing is known before
    import torch

    from herbarium.models import loading
    from herbarium.scoring.completing import complete

    torch.set_num_threads(snakemake.threads)
    device, record = devices.choose(snakemake.resources.gpu), store.read_record(given.model)
    model, start_seconds = placed(record, device, "float32")
    tokenizer = loading.load_tokenizer(loading.folder_of(record), model_name, record["tokenizer"])
    limits = record["max_tokens"], record["lowercase"]
    shuffled = texts[stream(params.seed, "estimate", name, model_name).permutation(len(texts))].tolist()

    def run(n):
        return complete(model, tokenizer, device, shuffled[:n], params.most, *limits, f"{model_name} {name}")

    n, seconds, table = timed(run, len(texts), 64)
    hours = (start_seconds + seconds * len(texts) / n) / 3600
    row |= {"sampled": n, "inputs": len(texts), "hours": hours, "longest_job": hours}
    n_bytes = pa.Table.from_pandas(table).nbytes * len(texts) // n
    row |= {"bytes": n_bytes, "device": named(device, snakemake.threads)}
write(snakemake.output[0], [row], model_name, f"honest/{name}", made)
