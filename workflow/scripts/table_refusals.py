"""List what was left out, and count how many sentences were refused, and why (rule table_refusals)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.scoring import refusals

made = begin(snakemake)
counted = [store.read_frames(snakemake.input, "refusals")] if snakemake.input else []
table = refusals.listed(snakemake.params.left_out, counted)
store.write_csv(snakemake.output.refusals, table, made)
