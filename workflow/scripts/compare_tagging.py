"""Compare how well entities are found before and after a change of a model (rule compare_tagging)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.tagging import score
from herbarium.metrics.tagging.sentences import PREDICTIONS, SENTENCES, TEST
from herbarium.statistics.changes import CHANGES
from herbarium.statistics.repeats import numbered

made = begin(snakemake)
given, params, task = snakemake.input, snakemake.params, snakemake.wildcards.task
sentences = store.read_frame(given.sentences, SENTENCES.name)
test = sentences[sentences["split"] == TEST]
true, alike = test["tags"].tolist(), numbered(test["tokens"].map(" ".join))
n_sets = len(given.predictions) // len(params.models)
predicted = {
    model: [
        store.read_frame(path, PREDICTIONS.name)["tags"].tolist()
        for path in given.predictions[place * n_sets :][:n_sets]
    ]
    for place, model in enumerate(params.models)
}
changes = score.changes(task, params.compared, true, predicted, params.level, alike)
store.write_table(snakemake.output[0], CHANGES, changes, made)
log.info("%d changes.", len(changes))
