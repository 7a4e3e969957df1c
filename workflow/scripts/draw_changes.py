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
pairs, made_from, trained = (set(map(tuple, of)) for of in (params.pairs, params.made_from, params.trained))
training_of = {model: name for name, models in params.trainings.items() for model in models}


def is_asked_for(first: str, second: str) -> bool:
    """Whether a comparison is not only of two checkpoints of a training, which `draw_checkpoints` draws."""
    return (first, second) in pairs or training_of.get(first, first) != training_of.get(second, second)


found = store.read_frames(snakemake.input, CHANGES.name)
asked = [is_asked_for(*of) for of in zip(found["first"], found["second"], strict=True)]
table = changes.combined(found[np.array(asked, bool)], made_from, trained)
style.keep(snakemake.output.changes, table, printed(changes.panels(table), changes.EMPTY), made)
