"""Write every number of the study for people, and whether it is on the first screen (rule write_summary)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.study.results import read_headline, with_primary

made = begin(snakemake)
numbers = store.read_table(snakemake.input.parquet, "tidy")
# integers stay integers if some are missing
numbers = with_primary(numbers.to_pandas(types_mapper=pd.ArrowDtype), read_headline(snakemake.input.headline))
store.write_csv(snakemake.output.csv, numbers, made)
