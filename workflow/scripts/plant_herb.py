"""Write the text on regions that a model with a planted bias learns (rule plant_herb)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.herb import control, planted
from herbarium.training.text import TEXT

made = begin(snakemake)
params = snakemake.params
regions = store.read_frame(snakemake.input.regions, "regions")
of_control = control.regions(params.control, regions)
sentences = planted.region_sentences(regions, params.frames, params.strength, params.seed, of_control)
store.write_table(snakemake.output[0], TEXT, pd.DataFrame({"text": sentences}), made)
log.info("%d sentences on regions, planted strength %g.", len(sentences), params.strength)
