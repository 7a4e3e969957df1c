"""Write the part of the page on sentence sets (rule part_sentence_sets)."""

from herbarium.core import resources, store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.metrics.sentence_sets import each, formats, numbers, published
from herbarium.metrics.sentence_sets.report.part import part
from herbarium.report import pictures

made = begin(snakemake)
given, entries = snakemake.input, snakemake.params.entries
records = map(store.read_record, given.models)
models = style.by_strength({model["name"]: model for model in records}.values())
tidy = store.read_frames(given.numbers, "tidy")
rows = numbers.with_contrasts(tidy, entries, models)
correlations = each.correlations(tidy, entries, [model["name"] for model in models])
faults = formats.by_set(entries, given.faults)
figures = resources.read_table(given.coreference)
coreference = published.beside(figures, rows, snakemake.params.questions)
page_part = part(rows, correlations, coreference, faults, entries, models, pictures.read(given.figures))
store.write_record(snakemake.output[0], page_part._asdict(), made)
