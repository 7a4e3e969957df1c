"""What a model makes of the bare name of each country (rule embed_regions)."""

import pyarrow as pa
import torch

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.models import devices, loading
from herbarium.regions import levels
from herbarium.scoring import answering, representations

made = begin(snakemake)
torch.set_num_threads(snakemake.threads)
device = devices.choose(snakemake.resources.gpu)
record = store.read_record(snakemake.input.model)
countries = levels.countries(store.read_frame(snakemake.input.regions, "regions"))
folder = loading.folder_of(record)
embeddings = representations.represent(
    answering.place(loading.load(folder, record["kind"], "float32", record["name"]), device),
    loading.load_tokenizer(folder, record["name"]),
    device,
    countries["name"].tolist(),
    record["max_tokens"],
    record["lowercase"],
)
store.write_table(
    snakemake.output[0],
    representations.EMBEDDINGS,
    embeddings.append_column("region", pa.array(countries["region"], pa.string())),
    made | {"model": record, "device": devices.name(device)},
)
log.info("%d names, %d without representation.", len(embeddings), embeddings["representation"].null_count)
