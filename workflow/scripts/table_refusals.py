"""Count how many sentences were refused, and why (rule table_refusals)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.scoring.refusals import REFUSALS

made = begin(snakemake)
empty = pd.DataFrame(columns=REFUSALS.fields.names)
table = store.read_frames(snakemake.input, "refusals") if snakemake.input else empty
store.write_csv(snakemake.output.refusals, table, made)
