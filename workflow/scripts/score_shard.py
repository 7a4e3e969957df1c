"""Answer the requests of one shard (rule score_shard)."""

import pyarrow as pa
import torch

from herbarium import models, quantities, scoring, store
from herbarium.console import start_log

start_log(snakemake.log[0])
torch.set_num_threads(snakemake.threads)
record = store.read_json(snakemake.input.model)
inputs = store.read_table(snakemake.input.inputs, "plan_inputs")
requests = store.read_table(snakemake.input.requests, "plan_requests")
device = scoring.choose_device()
model = models.load(models.folder_of(record), record["kind"], record["dtype"], record["name"]).to(device)
title = f"{record['name']} {snakemake.wildcards.probe} shard {snakemake.wildcards.shard}"
answers = scoring.answer(model, device, inputs, requests, title)
store.write_table(
    snakemake.output[0],
    quantities.ANSWERS,
    pa.table({"request": requests["request"], "log_probability": answers}),
    {"code": snakemake.params.code, "model": record},
)
