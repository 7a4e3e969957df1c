"""Ways to decide within constraints, side by side (rule table_amplification)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.metrics.amplification.numbers import BY_METHOD

made = begin(snakemake)
tables = [store.read_frame(path, BY_METHOD.name) for path in snakemake.input]
store.write_csv(snakemake.output.methods, pd.concat(tables, ignore_index=True), made)
