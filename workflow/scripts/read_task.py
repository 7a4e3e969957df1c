"""Read the labelled texts of a task and divide them (rule read_task)."""

from herbarium.core import resources, store
from herbarium.core.console import log
from herbarium.core.errors import HerbariumError
from herbarium.core.step import begin
from herbarium.metrics.downstream import planted_text, tasks
from herbarium.models import sources


def read_before(examples):
    """What these were read from when they were read before, if that was the hub or a repository, and they are whole."""
    try:
        return store.read_header(examples, tasks.EXAMPLES.name).get("source")
    except HerbariumError:
        return None


made = begin(snakemake)
given, params, name = snakemake.input, snakemake.params, snakemake.wildcards.task
task = params.task
if task["data"]["planted"] is not None:
    regions, nonsense = store.read_frame(given.regions, "regions"), resources.read_words(given.nonsense)
    words = list(dict.fromkeys(word for path in given.words for word in resources.read_words(path)))
    tables = {None: planted_text.table(task, name, regions, nonsense, words, params.seed)}
    task, where = task | planted_text.LAYOUT, "planted texts"
else:
    data, where = task["data"], resources.place(task["data"])
    before = read_before(snakemake.output[0])
    is_same = before and all(before["data"][key] == data[key] for key in ("hub", "git", "revision"))
    if is_same and (faults := sources.changed(before)):
        remedy = (
            f"Delete them from the cache and run again. If they were wrong before, delete {snakemake.output[0]}, too."
        )
        raise HerbariumError("\n".join([*faults, remedy]))
    tables = sources.read(data)
    if files := sources.checksums(data):
        made["source"] = {"data": data, "files": files}
rows = tasks.labelled(tables, task, where)
examples = tasks.examples(rows, task, name, params.validation_share, params.sets, params.seed)
summary = tasks.summary(sum(map(len, tables.values())), rows, examples)
made |= {"name": name, "task": params.task, "summary": summary}
store.write_table(snakemake.output[0], tasks.EXAMPLES, examples, made)
counts = summary.pop("counts")
log.info("%s: %s.", name, "; ".join(f"{split} {counts[split]}" for split in tasks.SPLITS))
log.info("%s: %s.", name, ", ".join(f"{what} {n}" for what, n in summary.items()))
