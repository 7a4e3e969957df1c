"""List which numbers of two results folders differ, by how much, and possible causes (rule compare_runs)."""

from pathlib import Path

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.errors import HerbariumError
from herbarium.core.files import figure_at
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.page.build import build
from herbarium.page.comparison import comparison as room
from herbarium.report.pictures import Picture
from herbarium.study import comparison, differences, side_by_side
from herbarium.study.side_by_side import Run

made = begin(snakemake)
params = snakemake.params
if params.base is None:
    raise HerbariumError("There is nothing to compare with: give another results folder, --config base=FOLDER.")
base, new, against = Run.read(params.base), Run.read(params.results), params.against
made["inputs"] = side_by_side.checksums(base, new)
numbers = side_by_side.summaries(base, new, against)
changes = comparison.changes(*numbers, side_by_side.left(base, new, against))
changes = side_by_side.noted(changes, base, new, against)
causes = comparison.causes(base.record, new.record)

output = Path(params.results, "comparison")
listed = changes[changes["change"] != comparison.SAME]
store.write_csv(output / "changes.csv", listed, made)
store.write_csv(output / "causes.csv", causes, made)
shown = differences.table(listed)
files = figure_at(str(output / "differences"))
style.keep(files, shown, printed(differences.panels(shown), differences.EMPTY), made)
picture = Picture(*(output.joinpath(f"differences.{kind}").read_bytes() for kind in ("png", "csv")))
page = build(
    [room(changes, causes, picture, params.base, params.results)],
    side_by_side.models(base, new, against),
    new.record["study"],
    store.header(output / "index.html", made),
)
store.write_page(output / "index.html", page)
summary = comparison.describe(changes, causes)
log.info("%s against %s:\n%s\nEverything is in %s.", params.results, params.base, summary, output / "index.html")
