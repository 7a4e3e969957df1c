"""Write the part of the page (rule part)."""

from herbarium.core import store
from herbarium.core.passages import called
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.report import pictures

made = begin(snakemake)
(part,) = map(called, snakemake.params.does)
records = {record["name"]: record for record in map(store.read_record, snakemake.input.models)}
models = style.by_strength(records.values())
numbers = store.read_frames(snakemake.input.numbers, "tidy")
written = part(numbers, models, **snakemake.params.settings, pictures=pictures.read(snakemake.input.figures))
store.write_record(snakemake.output[0], written._asdict(), made)
