"""Changes from one model to another: bias scores over crossed words, templates and targets."""

from collections.abc import Mapping, Sequence

import pandas as pd

from herbarium.metrics.mixed_effects.questions import ALL, Question, select
from herbarium.metrics.mixed_effects.stimuli import FEMALE, MALE, Lists, dimensions
from herbarium.statistics import crossed
from herbarium.statistics.changes import as_changes, change
from herbarium.statistics.fits import CROSSED
from herbarium.statistics.inference import Mean

_DEFINITION = "paper"
_CELL = ["group", "word", "pair", "template", "target"]


def changes(
    data: str,
    compared: Sequence[Sequence[str]],
    fits: pd.DataFrame,
    observations: Mapping[str, pd.DataFrame],
    lists: Lists,
) -> pd.DataFrame:
    """Rows of the schema "changes": male against female words, in each dimension of a set of stimuli.

    data: the name of the stimuli. compared: of `models.comparisons`. fits: of the schema "fits", of all models.
    observations: by model, of the schema "mixed_effects_observations".
    """
    is_main = (fits["structure"] == CROSSED) & (fits["subset"] == ALL) & (fits["definition"] == _DEFINITION)
    main = fits[is_main & (fits["data"] == data)]
    main = main.set_index(["model", "dimension", "contrast"])
    of_paper = {model: table[table["definition"] == _DEFINITION] for model, table in observations.items()}
    rows = []
    for dimension in dimensions(lists):
        question = Question(dimension, MALE, FEMALE, structure=CROSSED)
        keys = dimension, question.keys["contrast"]
        selected = {model: select(table, lists, question)[0] for model, table in of_paper.items()}
        for comparison in compared:
            mean, note = difference(*(selected[model] for model in comparison[2:]))
            values = (main.loc[(model, *keys)] for model in comparison[2:])
            measure = f"Mixed effects, {data}: {dimension}"
            rows.append(change(comparison, "mixed_effects", measure, *values, mean, note=note))
    return as_changes(rows)


def difference(before: pd.DataFrame, after: pd.DataFrame) -> tuple[Mean | None, str | None]:
    """The bias score of the differences of associations, which is the difference of the bias scores, with its error
    over words, templates and targets; or None, and why. before, after: of `questions.select`."""
    first, second = (data.groupby(_CELL)["association"].mean() for data in (before, after))
    scores = crossed.words((second - first).dropna().reset_index())
    if not 0 < scores.is_first.sum() < len(scores.is_first):
        return None, "a group has no word with a score in each template with each target, in both models"
    if few := crossed.too_few(scores):
        return None, f"no error: {few}"
    return crossed.difference(scores), None
