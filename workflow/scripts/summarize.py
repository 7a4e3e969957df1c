"""Put every number of the study into one table (rule summarize)."""

import pyarrow as pa
import pyarrow.csv

from herbarium import store
from herbarium.console import start_log
from herbarium.metrics.tidy import TIDY

start_log(snakemake.log[0])
numbers = pa.concat_tables([store.read_table(path, "tidy") for path in snakemake.input])
store.write_table(snakemake.output.parquet, TIDY, numbers, {"code": snakemake.params.code})
with store.atomic(snakemake.output.csv) as partial:
    pa.csv.write_csv(numbers, partial)
