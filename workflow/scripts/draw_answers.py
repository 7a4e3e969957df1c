"""Plot the primary number of every metric in every model, with the table that the figure shows, and write that of the
first screen (rule draw_answers)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.page import answers as drawn
from herbarium.report import answers, reference
from herbarium.report.part import from_record

made = begin(snakemake)
style.order(snakemake.params.order)
parts = [from_record(store.read_record(path)) for path in snakemake.input.parts]
files = snakemake.input.calibration
calibration = store.read_frames(files, "calibration") if files else None
perplexities = store.read_where(snakemake.input.summary, "tidy", "metric", reference.PERPLEXITY).to_pandas()
parts = reference.screened(parts, calibration, perplexities).parts
table = answers.table([answer for part in parts for answer in part.answers])
store.write_csv(snakemake.output.headline, answers.headline(table), made)
style.keep(snakemake.output.answers, table, printed(drawn.panels(table), drawn.EMPTY), made)
