"""What changes of models changed, and the table that the figure was drawn from (rule draw_changes)."""

import numpy as np

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.statistics.changes import CHANGES
from herbarium.study import changes

made = begin(snakemake)
made_from, trained = (set(map(tuple, pairs)) for pairs in (snakemake.params.made_from, snakemake.params.trained))
found = store.read_frames(snakemake.input, CHANGES.name)
along_training = set(map(tuple, snakemake.params.left_out))
is_left_out = [pair in along_training for pair in zip(found["first"], found["second"], strict=True)]
table = changes.combined(found[np.logical_not(is_left_out)], made_from, trained)
style.keep(snakemake.output.changes, table, changes.figure(table), made)
