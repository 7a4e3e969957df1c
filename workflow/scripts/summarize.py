"""Put every number of the study into one table (rule summarize)."""

import pandas as pd
import pyarrow as pa

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
numbers = pa.concat_tables([TIDY.fields.empty_table(), *(store.read_table(path, "tidy") for path in snakemake.input)])
store.write_table(snakemake.output.parquet, TIDY, numbers, made)
# whole numbers stay whole where some are missing
store.write_csv(snakemake.output.csv, numbers.to_pandas(types_mapper=pd.ArrowDtype), made)
