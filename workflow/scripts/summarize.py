"""Put every number of the study into one table, metric by metric (rule summarize)."""

import pyarrow as pa
import pyarrow.compute as pc

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
numbers = pa.concat_tables([TIDY.fields.empty_table(), *(store.read_table(path, "tidy") for path in snakemake.input)])
of_metrics = [numbers.filter(pc.equal(numbers["metric"], metric)) for metric in numbers["metric"].unique()]
numbers = pa.concat_tables([TIDY.fields.empty_table(), *of_metrics])
with store.table_writer(snakemake.output.parquet, TIDY, made) as append:
    for of_metric in of_metrics:  # each a row group: who reads one metric reads no other
        append(of_metric)
