"""Compare published counts and accuracies with ours (rule reproduce_gender_in_context)."""

from pathlib import Path

import pandas as pd

from herbarium.core import resources, store
from herbarium.core.step import begin
from herbarium.metrics.gender_in_context import counts, published
from herbarium.statistics.agreement import CELL, PUBLISHED

made = begin(snakemake)
given = snakemake.input
figures = resources.read_text_table(given.published, [*CELL, "value", "doubt"])
counted = [store.read_csv(Path(path).read_bytes(), dtype={"corpus": str}) for path in given.counts]
counted = counted[0] if counted else pd.DataFrame(columns=counts.COLUMNS)
numbers = store.read_frames(given.numbers, "tidy")
table = published.beside(figures, numbers, counted, snakemake.params.sides)
store.write_table(snakemake.output[0], PUBLISHED, table, made)
