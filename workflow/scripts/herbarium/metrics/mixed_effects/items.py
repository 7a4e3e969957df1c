"""The values whose mean is a bias score: differences of the two groups of words in each template, with each target."""

import pandas as pd

from herbarium.metrics.mixed_effects.questions import Question, select
from herbarium.metrics.mixed_effects.stimuli import FEMALE, MALE, Lists, dimensions
from herbarium.statistics import crossed
from herbarium.statistics.items import items


def of_items(model: str, data: str, lists: Lists, observations: pd.DataFrame) -> pd.DataFrame:
    """A table of the schema "items": male against female words; an object is a dimension of the stimuli, a word a
    target, a form a template.

    data: the name of the stimuli. observations: of the schema "mixed_effects_observations".
    """
    rows, tables = observations[observations["definition"] == "paper"], [pd.DataFrame()]
    for dimension in dimensions(lists):
        table = crossed.table(select(rows, lists, Question(dimension, MALE, FEMALE))[0])
        if set(table.index.get_level_values("group")) == {0, 1}:
            value = (table.loc[1].mean() - table.loc[0].mean()).rename("value").reset_index()
            value = value.rename(columns={"target": "word", "template": "form"})
            tables.append(value.assign(object=f"{data}/{dimension}"))
    return items(pd.concat(tables).assign(model=model, metric="mixed_effects", measure="bias"))
