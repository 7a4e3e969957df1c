"""Whether models rank alike by intrinsic scores and by what regions change (rule compare_propagation)."""

import pandas as pd

from herbarium import store
from herbarium.console import log
from herbarium.metrics import propagation, tidy
from herbarium.step import begin

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
intrinsic, downstream = (
    pd.concat([pd.DataFrame(columns=tidy.TIDY.fields.names), *(store.read_frame(path, "tidy") for path in paths)])
    for paths in (given.intrinsic, given.downstream)
)
regions = store.read_frame(given.regions, "regions")
scores = propagation.scores(intrinsic, regions.loc[regions["parent"].isna(), "region"].item(), params.leading)
found = [
    propagation.of_models(task, scores, downstream, params.tests["correction"], params.seed) for task in params.tasks
]
store.write_table(snakemake.output[0], tidy.TIDY, pd.concat(found, ignore_index=True), made)
log.info("Correlations over %d models.", downstream["model"].nunique())
