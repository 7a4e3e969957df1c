"""Lay out Categorical Bias as tables, with published and planted numbers (rule table_categorical_bias)."""

from herbarium.core import resources, store
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias import calibration, overview, published, stimuli
from herbarium.models.treated import Treated
from herbarium.statistics import agreement
from herbarium.statistics.calibration import CALIBRATION

made = begin(snakemake)
given, output, languages = snakemake.input, snakemake.output, snakemake.params.languages
numbers = store.read_frames(given.numbers, "tidy")
figures = resources.read_table(given.published, ["table"])
treated = [Treated(**entry) for entry in snakemake.params.treated]
beside = {}
for number in published.NUMBERS:
    table = published.table(numbers, figures, number, languages, treated)
    reasons = published.reasons(table, figures, languages, treated, snakemake.params.others)
    beside[number] = agreement.marked(table, reasons)
tables = {f"table{number}": table for number, table in beside.items()}
for table in (overview.scores, overview.targets, overview.templates, overview.attributes):
    tables[table.__name__] = table(numbers)
for table in (overview.differences, overview.divergences):
    tables[table.__name__] = table(numbers, languages)
for name, table in tables.items():
    store.write_csv(output[name], table, made)
as_printed = resources.read_table(given.published, ["table", "value"])
store.write_table(output.published, agreement.PUBLISHED, published.beside(as_printed, beside), made)
planted = calibration.rows(
    numbers,
    store.read_frames(given.associations, "associations"),
    store.read_frames(given.tokens, "attribute_tokens"),
    {design["language"]: stimuli.lists_from(design) for design in map(store.read_record, given.designs)},
    languages,
    snakemake.params.planted,
    ddof=snakemake.params.ddof,
    seed=snakemake.params.seed,
)
for path in output.calibration:  # none without planted models
    store.write_table(path, CALIBRATION, planted, made)
