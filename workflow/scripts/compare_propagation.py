"""Correlate intrinsic scores with the effects of regions in tasks, over models (rule compare_propagation)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.propagation import score
from herbarium.statistics import tidy

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
regions = store.read_frame(given.regions, "regions")
root = regions.loc[regions["parent"].isna(), "region"].item()
of_herb = [score.scores(store.read_frame(path, "tidy"), root) for path in given.herb]
scores = pd.concat([*of_herb, *(store.read_frame(path, "model_measures") for path in given.measures)])
downstream = store.read_frames(given.downstream, "tidy")
tables = [score.of_models(task, scores, downstream, params.tests["correction"], params.seed) for task in params.tasks]
store.write_table(snakemake.output[0], tidy.TIDY, pd.concat(tables, ignore_index=True), made)
log.info("Correlations over %d models.", downstream["model"].nunique())
