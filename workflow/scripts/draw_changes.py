"""Plot what changes of models changed, with the table that the figure shows (rule draw_changes)."""

import numpy as np

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.statistics.changes import CHANGES
from herbarium.study import changes

made = begin(snakemake)
params = snakemake.params
pairs, made_from, trained = (set(map(tuple, triples)) for triples in (params.pairs, params.made_from, params.trained))
training_of = {model: name for name, models in params.trainings.items() for model in models}


def is_asked_for(first: str, second: str) -> bool:
    """Whether a comparison is not only of two checkpoints of a training, which `draw_checkpoints` draws."""
    return (first, second) in pairs or training_of.get(first, first) != training_of.get(second, second)


change_rows = store.read_frames(snakemake.input, CHANGES.name)
is_wanted = [is_asked_for(*pair) for pair in zip(change_rows["first"], change_rows["second"], strict=True)]
table = changes.combined(change_rows[np.array(is_wanted, bool)], made_from, trained)
style.keep(snakemake.output.changes, table, printed(changes.panels(table), changes.EMPTY), made)
