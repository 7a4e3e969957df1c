"""Compare HERB between models and between continents, paired (rule compare_herb)."""

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.herb import differences as herb_differences
from herbarium.statistics.changes import CHANGES
from herbarium.statistics.influences import INFLUENCES
from herbarium.statistics.tidy import TIDY

made = begin(snakemake)
given, params, output = snakemake.input, snakemake.params, snakemake.output
tests = {"level": params.level, "method": params.correction}
crossed, influences = store.read_frames(given.crossed, "tidy"), store.read_frames(given.influences, INFLUENCES.name)
regions = store.read_frame(given.regions, "regions")
of_crossed = herb_differences.of_crossed(crossed, influences, **tests)
as_published = herb_differences.differences(
    store.read_frames(given.numbers, "tidy"), store.read_frames(given.replicates, "replicates"), regions, **tests
)
numbers = pd.concat([of_crossed, as_published], ignore_index=True)
store.write_table(output.differences, TIDY, numbers, made)
for path in output.changes:  # none if no two models are compared
    changes = herb_differences.changes(params.compared, crossed, influences, regions)
    store.write_table(path, CHANGES, changes, made)
log.info("%d differences, p-values adjusted by '%s'.", len(numbers), params.correction)
