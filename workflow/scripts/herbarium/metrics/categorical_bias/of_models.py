"""Categorical Bias of whole models, for metrics that compare it with something else."""

from collections.abc import Mapping

import pandas as pd

from herbarium.statistics.model_measures import MODEL_MEASURES


def measures(numbers: pd.DataFrame, leading: Mapping[str, str]) -> pd.DataFrame:
    """Table "model_measures": cb/{language}, CB of the language's leading list, as in the paper.

    numbers: tidy rows of metric "categorical_bias". leading: language -> list.
    """
    names = {f"{language}/{name}": f"cb/{language}" for language, name in leading.items()}
    of_lists = (numbers["definition"] == "paper") & (numbers["variant"] == "cb") & (numbers["unit"] == "list")
    rows = numbers[of_lists & numbers["group"].isin(names)].dropna(subset="estimate")
    return rows.assign(measure=rows["group"].map(names), value=rows["estimate"])[MODEL_MEASURES.fields.names]
