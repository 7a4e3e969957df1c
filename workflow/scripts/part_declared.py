"""Write the part of the page on a metric that declares itself (rule part_declared)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.report.declared.part import part
from herbarium.report.pictures import read

made = begin(snakemake)
given, card = snakemake.input, snakemake.params.card
(picture,) = read(given.figure).values()
records = list(map(store.read_record, given.models))
written = part(card, store.read_frames(given.numbers, "tidy"), records, picture)
store.write_record(snakemake.output[0], written._asdict(), made)
