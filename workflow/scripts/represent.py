"""Find the vectors of a source for words, on their own or in sentences (rule represent)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.vectors import lookup
from herbarium.vectors.tables import ONLY, VECTORS, WORDS

made = begin(snakemake)
params, source = snakemake.params, snakemake.wildcards.source
entry, words = params.entry, store.read_frame(snakemake.input.words, WORDS.name)
if entry["model"] is None:
    vectors, layers = lookup.vectors(words, entry, source, params.seed, snakemake.input.trained or None), [ONLY]
else:
    import torch

    from herbarium.models import devices, loading, tokenizer_files
    from herbarium.scoring import answering
    from herbarium.vectors import representations

    torch.set_num_threads(snakemake.threads)
    device = devices.choose(snakemake.resources.gpu)
    record = store.read_record(snakemake.input.model)
    made |= {"model": record, "device": devices.name(device)}
    folder = loading.folder_of(record)
    model = answering.place(loading.load_recorded(record, folder), device)
    states, texts, bounds, layers = representations.asked(model, entry["layers"], words, source)
    tokenizer, title = tokenizer_files.load_compared(record, folder), f"{source} vectors"
    limits = record["max_tokens"], record["lowercase"]
    vectors = representations.represent(states, tokenizer, device, texts, bounds, *limits, title)
store.write_table(snakemake.output[0], VECTORS, vectors, made | {"layers": layers})
log.info("%d vectors of %d layers, %d without.", len(vectors), len(layers), vectors["vector"].null_count)
