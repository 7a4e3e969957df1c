"""Which numbers differ between two runs, and what can be the cause (rule compare_runs)."""

from pathlib import Path

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.errors import HerbariumError
from herbarium.core.step import begin
from herbarium.study import comparison, run

made = begin(snakemake)
base, new = snakemake.params.base, snakemake.params.results
if base is None:
    raise HerbariumError("There is nothing to compare with: say --config base=FOLDER, an earlier results folder.")
records = [run.read(Path(folder)) for folder in (base, new)]
summaries = [
    run.left(Path(folder), record, comparison.SUMMARY) for folder, record in zip((base, new), records, strict=True)
]
made["inputs"] = {str(path): store.examine(path)[0] for path in summaries}
numbers = [store.read_frame(path, "tidy") for path in summaries]
changes, causes = comparison.changes(*numbers), comparison.causes(*records)
output = Path(new, "comparison")
store.write_csv(output / "changes.csv", changes[changes["change"] != comparison.SAME], made)
store.write_csv(output / "causes.csv", causes, made)
log.info("%s against %s:\n%s\nAll of it is in %s.", new, base, comparison.describe(changes, causes), output)
