"""Write every number of the study for people, and whether it is on the first screen (rule write_summary)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.report import answers

made = begin(snakemake)
numbers = store.read_table(snakemake.input.parquet, "tidy")
# integers stay integers if some are missing
numbers = answers.with_primary(
    numbers.to_pandas(types_mapper=pd.ArrowDtype), answers.read_headline(snakemake.input.headline)
)
store.write_csv(snakemake.output.csv, numbers, made)
