"""What the figures of Categorical Bias share: the models measured in each language, and their log P'."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.categorical_bias import stimuli
from herbarium.metrics.categorical_bias.numbers import Cube, cube

PLACE = ["language", "list", "model", "planted", "own"]


@dataclass(frozen=True)
class Associations:
    """log P' of the base words of one language and model."""

    cube: Cube
    attributes: list[str]  # keys of all base attributes, and of those left out of the cube
    targets: list[str]  # likewise

    def frame(self, values: np.ndarray) -> pd.DataFrame:
        """Values (n_attributes, n_targets) of the cube, attributes by targets; nan for what was left out."""
        known = pd.DataFrame(values, self.cube.lists.attributes["key"], self.cube.lists.targets["key"])
        return known.reindex(index=self.attributes, columns=self.targets).rename_axis("attribute")


def by_place(
    associations: pd.DataFrame, lists: Mapping[str, stimuli.Lists], languages: stimuli.Languages
) -> dict[tuple[str, str], Associations]:
    """log P' by model and language: the first definition of its kind, leading list of the language.

    associations: of this schema, of everything measured. lists: language -> its leading list.
    """
    rows = stimuli.by_first_definition(stimuli.of_leading(associations, languages))
    return {place: of_lists(group, lists[place[1]]) for place, group in rows.groupby(["model", "language"], sort=False)}


def of_lists(associations: pd.DataFrame, lists: stimuli.Lists) -> Associations:
    """associations: of one model, list and definition."""
    measured = cube(associations, lists, additional_attributes=False, additional_targets=False)
    base = [sorted(words.loc[words["set"] == stimuli.BASE, "key"]) for words in (lists.attributes, lists.targets)]
    return Associations(measured, *base)


def places(languages: stimuli.Languages, models: list[dict]) -> pd.DataFrame:
    """One row per language and model that were measured, in the order of the configuration, with the columns PLACE.

    models: model records, in any order. `list`: the one that leads; `own`: whether the model is the language's own, its
    first.
    """
    planted = {model["name"]: model["planted"] for model in models}
    names = stimuli.leading(languages)
    rows = [
        (language, names[language], model, planted[model], model == languages[language]["models"][0])
        for model, language in stimuli.measured(languages)
    ]
    return pd.DataFrame(rows, columns=PLACE).astype({"planted": "float64", "own": "bool"})


def label(row) -> str:
    """A model's name as in `style.label`. row: with the columns PLACE."""
    return style.label(row.model, row.planted)
