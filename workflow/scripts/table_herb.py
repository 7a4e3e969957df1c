"""HERB's published tables beside our numbers (rule table_herb)."""

import pandas as pd

from herbarium import resources, store
from herbarium.console import start_log
from herbarium.metrics import herb_published

start_log(snakemake.log[0])
numbers = pd.concat([store.read_frame(path, "tidy") for path in snakemake.input.numbers], ignore_index=True)
regions = store.read_frame(snakemake.input.regions, "regions")
published = resources.read_table(snakemake.input.published)
n_countries = resources.read_table(snakemake.input.n_countries).set_index("continent")["n"]
tables = {
    f"table{number}": herb_published.beside(numbers, regions, published, number, snakemake.params.topics)
    for number in herb_published.SCALE
}
tables["departures"] = herb_published.departures(numbers)
tables["implied"] = herb_published.implied_mean_distance(published, n_countries)
for name, table in tables.items():
    store.write_text(snakemake.output[name], table.to_csv(index=False))
