"""Write Categorical Bias of whole models, for metrics that compare it with something else (rule
describe_categorical_bias)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias import of_models
from herbarium.statistics.model_measures import MODEL_MEASURES

made = begin(snakemake)
numbers = store.read_frames(snakemake.input.numbers, "tidy")
store.write_table(snakemake.output[0], MODEL_MEASURES, of_models.measures(numbers, snakemake.params.leading), made)
