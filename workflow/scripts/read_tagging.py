"""Read the tagged sentences of a task, or make planted ones, and divide them (rule read_tagging)."""

from herbarium.core import resources, store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.tagging import planted_sentences, sentences
from herbarium.models import sources

made = begin(snakemake)
given, params, name = snakemake.input, snakemake.params, snakemake.wildcards.task
task = params.task
data, where = task["data"], f"tagging.tasks.{name}.data"
if data["planted"]:
    pieces = planted_sentences.pieces(name, data["sentences"], resources.read_words(given.nonsense), params.seed)
    task |= planted_sentences.LAYOUT
elif data["path"]:
    pieces, where = sentences.read_local(data["path"], [*task["train"], *task["test"]]), data["path"]
else:
    where = resources.place(data)
    tables, source = sources.read_as_before(data, snakemake.output[0], sentences.SENTENCES.name)
    pieces = {split: sentences.of_table(table, task, f"{where}, split '{split}'") for split, table in tables.items()}
    made |= source
rows = sentences.divided(pieces, task, name, params.sets, params.seed, where)
summary = sentences.summary(rows)
made |= {"name": name, "task": params.task, "summary": summary}
store.write_table(snakemake.output[0], sentences.SENTENCES, rows, made)
log.info(
    "%s: %s; %d tags.", name, ", ".join(f"{n} {split}" for split, n in summary["counts"].items()), summary["n_classes"]
)
for what, n in summary["noted"].items():
    log.warning("%s: %d sentences %s.", name, n, what)
