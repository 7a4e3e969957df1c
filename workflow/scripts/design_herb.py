"""Write what numbers need of the lists behind a set of HERB's stimuli (rule design_herb)."""

from herbarium.core import store
from herbarium.core.step import begin

made = begin(snakemake)
store.write_record(snakemake.output[0], snakemake.params.design, made)
