"""Put regions into the frames of one shard of HERB's stimuli (rule instantiate_herb)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log, tracked
from herbarium.core.step import begin
from herbarium.metrics.herb import control, stimuli
from herbarium.regions import levels

SENTENCES_A_BLOCK = 50_000

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
regions = store.read_frame(given.regions, "regions")
countries = levels.without_cities(regions)
names, of_countries = (
    table.loc[table["parent"].notna(), "name"].unique().tolist()  # no equation scores the root itself
    for table in (regions, countries)
)
made_up = control.regions(params.control, regions)["name"].iloc[1:]
names += [name for name in made_up if name not in names]
others = store.read_frame(given.names, "names") if given.names else pd.DataFrame(columns=["region", "name"])
if params.no_cities_by_other_names:
    others = others[others["region"].isin(countries["region"])]
others = sorted(set(others["name"]) - set(names))
blocks = []
for frames, of_names in (
    (params.frames, names),
    (params.frames_of_countries, of_countries),
    (params.frames_of_other_names, others),
):
    if frames:  # a small study has more shards than frames
        n_names = max(1, SENTENCES_A_BLOCK // len(frames))
        starts = range(0, len(of_names), n_names)
        blocks += [([tuple(frame) for frame in frames], of_names[start : start + n_names]) for start in starts]
n_sentences = 0
made |= {"slots": stimuli.SLOTS, "names": stimuli.NAMES, "roles": stimuli.ROLES}
made |= {"quantities": stimuli.quantities(snakemake.wildcards.stimuli)}
with store.table_writer(snakemake.output[0], stimuli.STIMULI, made) as append:
    for frames, block in tracked(blocks, len(blocks), "blocks", "Instantiating"):
        sentences = stimuli.instantiate(frames, block)
        append(sentences)
        n_sentences += len(sentences)
log.info("%d sentences: %d region names.", n_sentences, len(names))
