"""What models hold of countries against what these change in tasks (rule figure_downstream_propagation)."""

import pandas as pd

from herbarium import store
from herbarium.console import start_log
from herbarium.figures import downstream, downstream_propagation, style

start_log(snakemake.log[0])
given, params = snakemake.input, snakemake.params
countries = pd.concat([store.read_frame(path, "propagation_countries") for path in given.countries], ignore_index=True)
numbers, correlations = (
    pd.concat([store.read_frame(path, "tidy") for path in paths], ignore_index=True)
    for paths in (given.numbers, given.correlations)
)
where = downstream.places(params.probed, params.planted)
table = downstream_propagation.table(countries, numbers, store.read_frame(given.regions, "regions"), where)
store.write_text(snakemake.output.csv, table.to_csv(index=False, lineterminator="\n"))
style.save(
    downstream_propagation.figure(table, correlations, params.level), [snakemake.output.pdf, snakemake.output.png]
)
