"""Answer the requests of one shard, then of those that wait for the same model (rule score_shard)."""

import time
from functools import cache

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.errors import HerbariumError
from herbarium.core.step import begin
from herbarium.models import devices, loading, servers
from herbarium.scoring import answering, serving, sharing

began, made = time.monotonic(), begin(snakemake)
given, params, results = snakemake.input, snakemake.params, snakemake.config["results"]
record = store.read_record(given.model)
shard_of_job = sharing.Shard(
    **dict(snakemake.wildcards.items()),
    record=given.model,
    inputs=given.inputs,
    requests=given.requests,
    output=snakemake.output[0],
    is_planned=True,
)


@cache
def device():
    return devices.choose(snakemake.resources.gpu)


@cache
def model():
    import torch

    torch.set_num_threads(snakemake.threads)
    log.info("Loading %s.", record["name"])
    loaded = loading.load_recorded(record, loading.folder_of(record), record["dtype"])
    return answering.place(loaded, device())


def ask_server(state):
    def run(inputs, requests, keep):
        server = servers.connect_recorded(params.served, record)
        probes = [serving.Probe(**probe) for probe in store.read_record(given.probes)["probes"]]
        return serving.answer(server, inputs, requests, shard_of_job.title, keep, probes, params.precision)

    state.complete(serving.DEVICE, run)


def ask_model(state, until=float("inf")):
    """until: seconds on the clock; raises TimeoutError after them, with what is answered kept."""

    def run(inputs, requests, keep):
        def keep_in_time(values):
            keep(values)
            if time.monotonic() > until:
                raise TimeoutError

        return answering.answer(model(), device(), inputs, requests, state.shard.title, keep=keep_in_time)

    state.complete(state.device() or devices.name(device()), run)


def go_on():
    """Answer shards of others for half of the time that a job has: one of them may have just begun."""
    until = began + snakemake.resources.runtime * 60 / 2
    left = sharing.others(results, shard_of_job)
    while ready := [shard for shard in left if sharing.can_begin(shard, results)]:
        left = [shard for shard in left if shard not in ready]
        for shard in ready:
            if time.monotonic() > until:
                return
            with sharing.claimed(results, shard) as is_ours:
                if is_ours:
                    go_on_with(shard, until)


def go_on_with(shard, until):
    try:
        state = sharing.read(shard, params.answered_by, results)
        if state.key == state_of_job.key and not state.device():
            log.info("Going on with %s, which waits for the same model.", shard.title)
            ask_model(state, until)
    except HerbariumError as error:
        log.info("%s is left to its own job: %s", shard.title, error)
    except TimeoutError:
        log.info("%s is left to its own job: half of the time of this one is over.", shard.title)


with sharing.claimed(results, shard_of_job, waits=True):
    state_of_job = sharing.read(shard_of_job, params.answered_by, results)
    (ask_server if params.served else ask_model)(state_of_job)
state_of_job.finish(made)
if snakemake.resources.gpu and model.cache_info().currsize:  # a small model is loaded sooner than others would wait
    go_on()
