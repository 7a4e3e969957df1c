"""Estimate what the study will cost (rule estimate)."""

from pathlib import Path

import pandas as pd
import pyarrow as pa

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.costs import COSTS
from herbarium.core.step import begin
from herbarium.study import estimate

made = begin(snakemake)
params, output = snakemake.params, snakemake.output
stimuli = [
    {
        "stimuli": name,
        "stage": estimate.STIMULI,
        "jobs": len(shards),
        "sentences": (n := sum(map(store.count_rows, shards))),
        "sampled": n,
        "bytes": sum(Path(shard).stat().st_size for shard in shards),
        "files": len(shards),
    }
    for name, shards in params.stimuli.items()
]
tables = [pa.Table.from_pylist(stimuli, schema=COSTS.fields)]
for model, path in params.costs:
    cost_table = store.read_table(path, "costs")
    tables.append(
        cost_table.set_column(0, COSTS.fields.field("model"), pa.array([model] * len(cost_table), pa.string()))
    )
# integers stay integers if some are missing
costs = pa.concat_tables([table.cast(COSTS.fields) for table in tables]).to_pandas(types_mapper=pd.ArrowDtype)
store.write_csv(output.csv, costs, made)
text = estimate.describe(costs)
store.write_text(output.text, f"{text}\n")
log.info("What the study will cost, also in %s, every row in %s:\n\n%s\n", output.text, output.csv, text)
