"""Put the clusters in which groups are treated unequally into a table (rule table_local_group_bias)."""

from herbarium.core import store
from herbarium.core.step import begin

made = begin(snakemake)
clusters = store.read_frames(snakemake.input, "local_group_bias_clusters")
store.write_csv(snakemake.output.clusters, clusters, made)
