"""Plot the figures of tasks, with the tables that they show (rule draw_downstream)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style, tasks
from herbarium.drawing.printed import printed
from herbarium.metrics.downstream import prefixes as task_prefixes
from herbarium.metrics.downstream.figures import map, planted, ranking
from herbarium.regions import leans

made = begin(snakemake)
given, output, params = snakemake.input, snakemake.output, snakemake.params
numbers = store.read_frames(given.numbers, "tidy")
prefixes = task_prefixes.read(params.strengths, given.prefixes)
countries = store.read_json(given.countries)
where = tasks.places(params.measured, params.planted)


table = map.table(numbers, prefixes, where, countries)
style.keep(output.map, table, map.figure(tasks.with_titles(table, params.strengths), countries), made)
table = ranking.table(numbers, prefixes, where)
shown = ranking.panels(tasks.with_titles(table, params.strengths))
style.keep(output.ranking, table, printed(shown, ranking.EMPTY), made)
if output.get("planted"):
    lean = leans.country_leans(store.read_frame(given.regions, "regions"), params.seed)
    table = planted.table(numbers, prefixes, where, lean, params.strengths)
    style.keep(output.planted, table, printed(planted.panels(table, numbers), planted.EMPTY), made)
