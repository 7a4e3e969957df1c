"""Measure which number format suits a model, stimuli and this device (rule tune_scoring), or what a server's answers
are worth (rule check_server)."""

from functools import partial

import torch

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.random import stream
from herbarium.core.step import PROBES, begin
from herbarium.models import devices, loading, servers
from herbarium.scoring import answering, planning, quantities, serving, tuning

made = begin(snakemake, ["stimuli"])
torch.set_num_threads(snakemake.threads)
device = devices.choose(snakemake.resources.gpu)
record, precision = store.read_record(snakemake.input.model), snakemake.params.precision
name, folder = record["name"], loading.folder_of(record)
shards = snakemake.input.stimuli
wanted = planning.asked_of(store.read_header(shards[0]), name, record["kind"])
# randomly drawn sentences are not pairs
wanted["quantities"] = [quantity for quantity in wanted["quantities"] if quantity not in quantities.OF_PAIRS]
random = stream(snakemake.params.seed, "precision", snakemake.wildcards.stimuli)
n_sentences = sum(store.count_rows(shard) for shard in shards)
rows = random.permutation(n_sentences)[: precision["sentences"]]
sentences = store.read_rows(shards, rows)
tokenizer = loading.load_tokenizer(folder, name, record["tokenizer"])
planner = planning.Planner.for_record(record, tokenizer)
sample = planner.add_stimuli(sentences, wanted)


def load(dtype):
    return answering.place(loading.load_recorded(record, folder, dtype), device)


values = tuning.means(load, device, sample, name)
if served := snakemake.params.served:
    server = servers.connect_recorded(served, record)
    exact = partial(values, tuning.EXACT) if served["compare"] else None
    dtype, (changes, probes) = record["dtype"], serving.check(server, sample, precision, exact)
    # a server's last digits are different in each run, so not part of the record, on which every number depends
    asked = {"probes": [probe._asdict() for probe in probes]}
    store.write_record(snakemake.output.probes, asked, made | {"schema": PROBES})
else:
    dtype, changes = tuning.choose_dtype(values, record["dtype"], device, precision, name)
    log.info("%s scores %s in %s.", name, snakemake.wildcards.stimuli, dtype)
tuned = {"device": devices.name(device), "changes": changes, "n": len(rows)}
store.write_record(snakemake.output.model, record | {"dtype": dtype, "tuned": tuned}, made)
