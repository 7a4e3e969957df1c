"""Embed the bare name of each country with a model (rule embed_herb)."""

import pyarrow as pa
import torch

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.models import devices, loading, tokenizer_files
from herbarium.regions import levels
from herbarium.scoring import answering
from herbarium.vectors import representations

made = begin(snakemake)
torch.set_num_threads(snakemake.threads)
device = devices.choose(snakemake.resources.gpu)
record = store.read_record(snakemake.input.model)
countries = levels.countries(store.read_frame(snakemake.input.regions, "regions"))
folder, names = loading.folder_of(record), countries["name"].tolist()
model = answering.place(loading.load_recorded(record, folder), device)
vectors = representations.represent(
    lambda token_ids: loading.hidden_states(model, token_ids)[0][:, None],
    tokenizer_files.load_compared(record, folder),
    device,
    names,
    [(0, len(name)) for name in names],
    record["max_tokens"],
    record["lowercase"],
    f"{record['name']} regions",
)
store.write_table(
    snakemake.output[0],
    representations.EMBEDDINGS,
    vectors.rename_columns({"vector": "representation"}).append_column("region", pa.array(countries["region"])),
    made | {"model": record, "device": devices.name(device)},
)
log.info("%d names, %d without representation.", len(vectors), vectors["vector"].null_count)
