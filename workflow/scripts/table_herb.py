"""HERB's published tables beside our numbers, and our numbers as tables to read (rule table_herb)."""

from herbarium.core import resources, store
from herbarium.core.step import begin
from herbarium.metrics.herb import overview
from herbarium.metrics.herb import published as herb_published

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
numbers = store.read_frames(given.numbers, "tidy")
regions = store.read_frame(given.regions, "regions")
published = resources.read_table(given.published)
n_countries = resources.read_table(given.n_countries).set_index("continent")["n"]
of_metric = numbers[numbers["metric"] == "herb"]
tables = {
    f"table{number}": herb_published.beside(of_metric, regions, published, number, params.topics)
    for number in herb_published.SCALE
}
tables["departures"] = herb_published.departures(of_metric)
names = regions.set_index("region")["name"].to_dict()
for table in (overview.intervals, overview.wordings, overview.differences, overview.hierarchy):
    tables[table.__name__] = table(numbers, names)
for name, table in tables.items():
    # a score of regions says nothing without them
    store.write_csv(snakemake.output[name], table.assign(cities=params.cities), made)
implied = herb_published.implied_mean_distance(published, n_countries)
store.write_csv(snakemake.output.implied, implied, made)
