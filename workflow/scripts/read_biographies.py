"""Read the biographies of a task, or write planted ones, and lay them out (rule read_biographies)."""

from herbarium.core import resources, store
from herbarium.core.console import log
from herbarium.core.errors import HerbariumError
from herbarium.core.step import begin
from herbarium.metrics.biographies import planted_texts, stimuli
from herbarium.models import sources
from herbarium.training import swapping
from herbarium.vectors.tables import WORDS

made = begin(snakemake)
given, params, name = snakemake.input, snakemake.params, snakemake.wildcards.name
task, data = params.task, params.task["data"]
if data["planted"] is not None:
    tables = {None: planted_texts.table(name, data["planted"], data["texts"], params.seed)}
    task, where = task | planted_texts.LAYOUT, f"biographies.tasks.{name}"
else:
    where = resources.place(data)
    tables, source = sources.read_as_before(data, snakemake.output.design, stimuli.DESIGN.name)
    made |= source
rows, left_out = stimuli.labelled(tables, task, where)
if (n := len(rows) - task["max_texts"]) > 0:
    left_out[f"beyond max_texts, {task['max_texts']:,}"] = n
rows = stimuli.divided(rows, task["test_share"], task["max_texts"], name, params.seed)
gendered = [*swapping.read_pairs(given.gendered).replacements, *resources.read_words(given.titles)]
noted = resources.with_unseen(rows["text"])
words, design, removed = stimuli.instantiate(rows, gendered, task["max_words"])
few = stimuli.few(design[design["form"] == stimuli.AS_IS], params.min_texts)
if design["occupation"].nunique() - len(few) < 2:
    faults = "; ".join(f"{occupation}: {why}" for occupation, why in list(few.items())[:10])
    raise HerbariumError(
        f"{where}: of {design['occupation'].nunique()} occupations fewer than two have biographies.min_texts, "
        f"{params.min_texts}, biographies of each gender to train on and to test with ({faults})."
    )
store.write_table(snakemake.output.words, WORDS, words, made)
store.write_table(snakemake.output.vocabulary, WORDS, stimuli.vocabulary(words["text"]), made)
store.write_table(snakemake.output.design, stimuli.DESIGN, design, made)
removed = {f"left out, {why}": n for why, n in left_out.items()} | removed | noted
counted = stimuli.counted(design, removed, few)
store.write_record(snakemake.output.counted, counted, made)
log.info("%s: %d biographies, %d occupations.", name, counted["n"], counted["n_occupations"])
for what, n in removed.items():
    log.warning("%s: %d biographies %s.", name, n, what)
if few:
    log.warning("%s: %d occupations are left out: %s.", name, len(few), "; ".join(map(": ".join, few.items())))
