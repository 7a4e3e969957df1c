"""Answer the requests of one shard (rule score_shard)."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.errors import HerbariumError
from herbarium.core.step import begin
from herbarium.models import devices, loading, servers
from herbarium.scoring import answering, answers, quantities, serving

made = begin(snakemake)
torch.set_num_threads(snakemake.threads)
record, output = store.read_record(snakemake.input.model), Path(snakemake.output[0])
served = snakemake.params.served
device = None if served else devices.choose(snakemake.resources.gpu)
inputs = store.read_table(snakemake.input.inputs, "plan_inputs")
requests = store.read_table(snakemake.input.requests, "plan_requests")
same = {"code": snakemake.params.code, "model": record, "device": serving.DEVICE if served else devices.name(device)}
# the answers so far, kept if the job is killed; not an output of the rule, which would be removed then
unfinished = output.with_name(f".{output.name}.unfinished")


def known(path):
    """The answers in a file that the same model, code and device would give again; nan if it has none."""
    try:
        if path.exists() and same.items() <= store.read_header(path, "answers").items():
            return answers.by_request(store.read_table(path, "answers"), inputs, [requests])
    except HerbariumError as error:
        log.warning("%s Its answers are not used.", error)
    return np.full(len(requests), np.nan)


def write(path, log_probability):
    store.write_table(path, quantities.ANSWERS, answers.by_input(inputs, requests, log_probability), made | same)


def keep(values):
    """Write the answers so far next to the output. values: those to the current requests."""
    so_far = log_probability.copy()
    so_far[missing] = values
    write(unfinished, so_far)


log_probability = known(output)  # of an earlier plan of this shard
log_probability = np.where(np.isnan(log_probability), known(unfinished), log_probability)
missing = np.isnan(log_probability)
to_run = inputs.filter(pc.is_in(inputs["input"], requests["input"].filter(pa.array(missing))))
log.info("%d of %d inputs have answers already, %d to run.", len(inputs) - len(to_run), len(inputs), len(to_run))
if len(to_run):
    name, missing_requests = record["name"], requests.filter(pa.array(missing))
    title = f"{name} {snakemake.wildcards.stimuli} shard {snakemake.wildcards.shard}"
    if served:
        server = servers.connect_recorded(served, record)
        probes = [serving.Probe(**probe) for probe in store.read_json(snakemake.input.probes)["probes"]]
        precision = snakemake.params.precision
        log_probability[missing] = serving.answer(server, to_run, missing_requests, title, keep, probes, precision)
    else:
        model = answering.place(loading.load(loading.folder_of(record), record["kind"], record["dtype"], name), device)
        log_probability[missing] = answering.answer(model, device, to_run, missing_requests, title, keep=keep)
write(output, log_probability)
unfinished.unlink(missing_ok=True)
