"""Categorical Bias of whole models, for metrics that compare it with something else."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from herbarium.metrics.categorical_bias.stimuli import WHOLE, by_first_definition
from herbarium.statistics.model_measures import MODEL_MEASURES


def measures(numbers: pd.DataFrame, leading: Mapping[str, str]) -> pd.DataFrame:
    """Table "model_measures": cb/{language}, CB of the language's leading list, as in the paper; of causal models
    cb_whole/{language}, which is another scale.

    numbers: tidy rows of metric "categorical_bias". leading: language -> list.
    """
    languages = {f"{language}/{name}": language for language, name in leading.items()}
    of_lists = (numbers["variant"] == "cb") & (numbers["unit"] == "list") & numbers["group"].isin(languages)
    rows = by_first_definition(numbers[of_lists]).dropna(subset="estimate")
    prefixes = np.where(rows["definition"] == WHOLE, "cb_whole/", "cb/")
    measures = prefixes + rows["group"].map(languages)
    return rows.assign(measure=measures, value=rows["estimate"])[MODEL_MEASURES.fields.names]
