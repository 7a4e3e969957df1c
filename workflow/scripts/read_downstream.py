"""Read the labelled texts of a task and divide them (rule read_downstream)."""

from herbarium.core import resources, store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.downstream import planted_text, tasks
from herbarium.models import sources

made = begin(snakemake)
given, params, name = snakemake.input, snakemake.params, snakemake.wildcards.task
task = params.task
if task["data"]["planted"] is not None:
    regions, nonsense = store.read_frame(given.regions, "regions"), resources.read_words(given.nonsense)
    words = list(dict.fromkeys(word for path in given.words for word in resources.read_words(path)))
    made["words"] = words
    tables = {None: planted_text.table(task, name, regions, nonsense, words, params.seed)}
    task, where = task | planted_text.LAYOUT, "planted texts"
else:
    data, where = task["data"], resources.place(task["data"])
    tables, source = sources.read_as_before(data, snakemake.output[0], tasks.EXAMPLES.name)
    made |= source
rows = tasks.labelled(tables, task, where)
examples = tasks.examples(rows, task, name, params.validation_share, params.sets, params.seed)
summary = tasks.summary(sum(map(len, tables.values())), rows, examples)
made |= {"name": name, "task": params.task, "summary": summary}
store.write_table(snakemake.output[0], tasks.EXAMPLES, examples, made)
counts, noted = summary.pop("counts"), summary.pop("noted")
log.info("%s: %s.", name, "; ".join(f"{split} {counts[split]}" for split in tasks.SPLITS))
log.info("%s: %s.", name, ", ".join(f"{what} {n}" for what, n in summary.items()))
for what, n in noted.items():
    log.warning("%s: %d texts %s.", name, n, what)
