"""Compare Categorical Bias between models, languages and lists, paired (rule compare_categorical_bias)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias import differences, stimuli
from herbarium.statistics.changes import CHANGES
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
measured = {
    "associations": store.read_frames(given.associations, "associations"),
    "cut": store.read_frames(given.tokens, "attribute_tokens"),
    "lists": {
        f"{design['language']}/{design['list']}": stimuli.lists_from(design)
        for design in map(store.read_record, given.designs)
    },
    "languages": params.languages,
}
numbers = differences.differences(**measured, ddof=params.ddof, level=params.level, method=params.correction)
store.write_table(output.differences, TIDY, numbers, made)
for path in output.changes:  # none if no two models are compared
    changes = differences.changes(params.compared, store.read_frames(given.numbers, "tidy"), **measured)
    store.write_table(path, CHANGES, changes, made)
log.info("%d differences, p-values adjusted by '%s'.", len(numbers), params.correction)
