"""What the figures of Categorical Bias share: which model was measured in which language, and its log P'."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from herbarium.core import store
from herbarium.drawing import style
from herbarium.metrics.categorical_bias import stimuli as probe
from herbarium.metrics.categorical_bias.numbers import Cube, cube

METRIC, DEFINITION = "categorical_bias", "paper"
# Definition -> its marker and colour.
LOOKS = {"paper": ("o", style.COLOURS[0]), "released": ("D", "#9c9c9c")}
PLACE = ["language", "list", "model", "planted", "own"]


@dataclass(frozen=True)
class Associations:
    """log P' of the base words of one language and model."""

    cube: Cube
    attributes: list[str]  # keys of all base attributes, those among them that the cube had to leave out
    targets: list[str]  # likewise

    def frame(self, values: np.ndarray) -> pd.DataFrame:
        """Values (n_attributes, n_targets) of the cube, attributes by targets; nan for what was left out."""
        known = pd.DataFrame(values, self.cube.lists.attributes["key"], self.cube.lists.targets["key"])
        return known.reindex(index=self.attributes, columns=self.targets).rename_axis("attribute")


def load(paths: Iterable[str | Path], languages: dict[str, dict]) -> dict[tuple[str, str], Associations]:
    """log P' of every language and model, by both names: definition `paper`, the language's leading list.

    paths: tables "associations", in the order of `places`. languages: the section of the configuration, as plain data.
    """
    names = probe.leading(languages)
    lists = {language: probe.read(languages[language]["lists"][name]) for language, name in names.items()}
    return {
        (language, model): associations(store.read_frame(path, "associations"), names[language], lists[language])
        for (language, model), path in zip(probe.measured(languages), paths, strict=True)
    }


def associations(table: pd.DataFrame, name: str, lists: probe.Lists) -> Associations:
    """table: "associations", of one language and model. name, lists: of the list that leads."""
    rows = table[(table["list"] == name) & (table["definition"] == DEFINITION)]
    of = cube(rows, lists, additional_attributes=False, additional_targets=False)
    base = [sorted(words.loc[words["set"] == probe.BASE, "key"]) for words in (lists.attributes, lists.targets)]
    return Associations(of, *base)


def places(languages: dict[str, dict], models: list[dict]) -> pd.DataFrame:
    """Where was measured: one row a language and model, in the order of the configuration, with the columns PLACE.

    languages: as for `load`. models: model records, in any order. `list`: the one that leads; `own`: whether the model
    is the language's own, its first.
    """
    planted = {model["name"]: model["planted"] for model in models}
    names = probe.leading(languages)
    rows = [
        (language, names[language], model, planted[model], model == languages[language]["models"][0])
        for language, model in probe.measured(languages)
    ]
    return pd.DataFrame(rows, columns=PLACE).astype({"planted": "float64", "own": "bool"})


def label(row) -> str:
    """A model's name as `style.label` has it. row: with the columns PLACE."""
    return style.label(row.model, row.planted)


def log_edge(values: pd.DataFrame) -> float:
    """Where a logarithmic axis begins: a little below the smallest value above 0."""
    positive = values.to_numpy(float)[values.to_numpy(float) > 0]
    return 0.8 * positive.min() if positive.size else 0.1
