"""Plot the figures of bias amplification, with the tables that they show (rule draw_amplification)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style, tasks
from herbarium.drawing.printed import printed
from herbarium.metrics.amplification import outputs
from herbarium.metrics.amplification.figures import iterations, margins, rates
from herbarium.metrics.amplification.numbers import BY_METHOD, ITERATIONS

made = begin(snakemake)
given, output, params = snakemake.input, snakemake.output, snakemake.params
names = store.read_frame(given.regions, "regions").set_index("region")["name"].to_dict()
where = tasks.places(params.measured, params.planted)
structured = tasks.places([(name, outputs.MODEL) for name in params.structured], {})
strengths = params.strengths | dict.fromkeys(params.structured)


def titled(table):
    return tasks.with_titles(table, strengths)


table = rates.table(store.read_frames(given.numbers, "tidy"), where, names)
style.keep(output.rates, table, printed(rates.panels(titled(table), params.margin), rates.EMPTY), made)
table = iterations.table(store.read_frames(given.iterations, ITERATIONS.name), pd.concat([where, structured]))
style.keep(output.iterations, table, printed(iterations.panels(titled(table)), iterations.EMPTY), made)
table = margins.table(store.read_frames(given.by_method, BY_METHOD.name), where)
style.keep(output.margins, table, printed(margins.panels(titled(table), params.margin), margins.EMPTY), made)
