"""Categorical Bias as published beside our numbers, and our numbers as tables (rule table_categorical_bias)."""

from herbarium.core import resources, store
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias import overview
from herbarium.metrics.categorical_bias import published as categorical_bias_published

made = begin(snakemake)
given, languages = snakemake.input, snakemake.params.languages
numbers = store.read_frames(given.numbers, "tidy")
published = resources.read_table(given.published, ["table"])
tables = {
    f"table{number}": categorical_bias_published.beside(numbers, published, number, languages)
    for number in categorical_bias_published.TABLES
}
for table in (overview.scores, overview.targets, overview.templates, overview.attributes):
    tables[table.__name__] = table(numbers)
for table in (overview.differences, overview.divergences):
    tables[table.__name__] = table(numbers, languages)
for name, table in tables.items():
    store.write_csv(snakemake.output[name], table, made)
