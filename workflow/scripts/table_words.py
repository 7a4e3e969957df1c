"""List the words that drive each primary number (rule table_words)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.study import words

made = begin(snakemake)
given = snakemake.input
items = store.read_frames(given.values, "items")
regions = store.read_frame(given.regions, "regions").set_index("region")["name"].to_dict() if given.regions else {}
store.write_csv(snakemake.output.words, words.table(items, regions), made)
