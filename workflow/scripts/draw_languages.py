"""Plot inBias by language and pivot, and a map of each aligned space (rule draw_languages)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.metrics.languages.figures import inbias
from herbarium.metrics.languages.figures import map as of_map

made = begin(snakemake)
given, output = snakemake.input, snakemake.output
table = inbias.table(store.read_frames(given.numbers, "tidy"), snakemake.params.planted)
style.keep(output.inbias, table, printed(inbias.panels(table), inbias.EMPTY), made)
places = store.read_frames(given.map, of_map.MAP.name)
style.keep(output.map, places, of_map.figure(places), made)
