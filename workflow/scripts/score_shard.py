"""Answer the requests of one shard (rule score_shard)."""

import pyarrow as pa
import torch

from herbarium import models, quantities, scoring, store, tuning
from herbarium.console import log, start_log

start_log(snakemake.log[0])
torch.set_num_threads(snakemake.threads)
record = store.read_json(snakemake.input.model)
inputs = store.read_table(snakemake.input.inputs, "plan_inputs")
requests = store.read_table(snakemake.input.requests, "plan_requests")
device, tuned = scoring.choose_device(), record["tuned"]
pass_tokens = tuned["pass_tokens"] if tuned["device"] == tuning.device_name(device) else None
if pass_tokens is None:
    log.warning("%s was tuned on another device (%s): last digits may differ.", record["name"], tuned["device"])
model = scoring.place(models.load(models.folder_of(record), record["kind"], record["dtype"], record["name"]), device)
title = f"{record['name']} {snakemake.wildcards.probe} shard {snakemake.wildcards.shard}"
answers = scoring.answer(model, device, inputs, requests, title, pass_tokens)
store.write_table(
    snakemake.output[0],
    quantities.ANSWERS,
    pa.table({"request": requests["request"], "log_probability": answers}),
    {"code": snakemake.params.code, "model": record, "device": tuning.device_name(device)},
)
