"""Lay out the hierarchy of regions (rule list_regions)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.regions import hierarchy

made = begin(snakemake)
chosen = snakemake.params.regions
if chosen["table"]:
    table = hierarchy.read(chosen["table"])
else:
    cities = chosen["cities"]
    table = hierarchy.geonames(
        chosen["continents"], chosen["countries"], cities["countries"], cities["min_population"], cities["largest"]
    )
store.write_table(snakemake.output.regions, hierarchy.REGIONS, table, made | {"regions": chosen})
names = hierarchy.other_names(table, chosen["names"])
store.write_table(snakemake.output.names, hierarchy.NAMES, names, made)
log.info("Regions: %s.", ", ".join(f"{n} {level}" for level, n in table["level"].value_counts(sort=False).items()))
