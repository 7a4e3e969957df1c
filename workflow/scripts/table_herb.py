"""Compare HERB as published with our numbers, and lay these out as tables (rule table_herb)."""

import numpy as np

from herbarium.core import resources, store
from herbarium.core.step import begin
from herbarium.metrics.herb import calibration, overview
from herbarium.metrics.herb import published as herb_published
from herbarium.metrics.herb.ablations import METRIC, OF_COUNTRIES
from herbarium.statistics.agreement import PUBLISHED, marked
from herbarium.statistics.calibration import CALIBRATION

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
numbers = store.read_frames(given.numbers, "tidy")
regions = store.read_frame(given.regions, "regions")
root = regions.loc[regions["parent"].isna(), "region"].item()
names = regions.set_index("region")["name"].to_dict()
published = resources.read_table(given.published, ["value"])
n_countries = resources.read_table(given.n_countries).set_index("continent")["n"]
of_metric = numbers[numbers["metric"] == METRIC]
beside = {}
for number in herb_published.SCALE:
    table = herb_published.beside(of_metric, regions, published, number, params.topics)
    beside[number] = marked(table, herb_published.reasons(table, number, params.others))
tables = {f"table{number}": table for number, table in beside.items()}
tables["departures"] = herb_published.departures(numbers)
for table in (overview.intervals, overview.wordings, overview.differences, overview.hierarchy):
    tables[table.__name__] = table(numbers, names)
for name, table in tables.items():
    # a score of regions says nothing without them
    without = table.get("metric", METRIC) == OF_COUNTRIES
    store.write_csv(output[name], table.assign(cities=np.where(without, "none", params.cities)), made)
store.write_csv(output.implied, herb_published.implied_mean_distance(published, n_countries), made)
store.write_table(output.published, PUBLISHED, herb_published.reproduced(published, beside, params.cities), made)
for path in output.calibration:  # none without planted models
    rows = calibration.rows(numbers, root, params.planted, store.read_frames(given.expected, "herb_expected"))
    store.write_table(path, CALIBRATION, rows, made)
